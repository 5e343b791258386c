/** Texts shared by all pages. */
export const common = {
  cancel: 'Cancel',
  close: 'Close',
  copy: 'Copy',
  copied: 'Copied',
  delete: 'Delete',
  retry: 'Try again',
  none: '–',
  unknown: 'Unknown',
  email: 'Email',
  password: 'Password',
  requestId: (id: string) => `Request ${id}`,
}

/** Texts of general problems. */
export const problem = {
  silent: 'The server does not answer',
  silentHint:
    'Check that Farhand runs on its machine and that this computer reaches it. Trying again every few seconds.',
  silentShort: 'The server does not answer. Check the connection and try again.',
  failed: 'That did not work',
  forbidden: 'You do not have the right to do this. Ask an administrator of your organization.',
  tooMany: 'Too many attempts from this address. Wait a minute, then try again.',
  crashed: 'This page stopped working',
  crashedHint:
    'What you were doing elsewhere is not lost. Load the page again; if it happens again, report the text below.',
  reload: 'Load again',
}

/** Texts of the page for unknown addresses. */
export const notFound = {
  title: 'No such page',
  hint: 'The address may be mistyped, or the page has moved.',
  home: 'Go to devices',
}
