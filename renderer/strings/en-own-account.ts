/** The part of the catalogue for the page of one's own account. */
export const account = {
  title: 'Your account',
  intro: 'Who you are here, how you sign in, and where you are signed in.',
  profile: 'Profile',
}
