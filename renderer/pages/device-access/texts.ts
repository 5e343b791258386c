export const deviceAccess = {
  title: 'Link to a device',
  dead: 'This link does not work',
  deadText: 'It was used already, has expired, or is not complete. Ask for a new one.',
  signIn: 'Sign in with an account',
  signedIn: 'You are signed in already',
  signedInText:
    'This link opens one device in a session of its own. To open it, this browser signs you out of your current session.',
  stay: 'Stay signed in and open the device',
  signOut: 'Sign out and open the link',
}
