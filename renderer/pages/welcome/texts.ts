export const welcome = {
  title: 'Welcome to Farhand',
  intro: 'Create the first account. It becomes the administrator, and registration closes after it.',
  introOpen: 'Create an account. It gets an organization of its own.',
  organization: 'Organization name',
  organizationHint: 'Devices and people belong to it. You can change it later.',
  organizationPlaceholder: 'Example Ltd',
  setupCode: 'Setup code',
  setupCodeHint:
    'It is shown where the server was started: in its window, among its first lines, or by “farhand service status”.',
  codeForOthers: 'From another device, enter this setup code:',
  missingSetupCode: 'Enter the setup code of this server.',
  wrongSetupCode: 'This is not the setup code. It may have changed when the server was restarted.',
  create: 'Create account',
  haveAccount: 'Already have an account?',
}
