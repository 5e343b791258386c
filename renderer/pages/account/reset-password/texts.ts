export const passwordReset = {
  title: 'Choose a new password',
  submit: 'Set the password',
  done: 'Your password is changed. Sign in with it now.',
  badLinkTitle: 'This link is not valid',
  badLink: 'It belongs to another address, is older than a day, or was used before.',
  again: 'Ask for a new one',
}
