/** The part of the catalog for the page of the link in mails about alerts. */
export const unsubscribe = {
  title: 'Mail about alerts',
  intro: 'Turns off the mail about alerts of the account that this link was sent to. Other contact methods stay on.',
  submit: 'Turn off this mail',
  done: 'The mail is off. Turn it on again in your account, section Notifications.',
}
