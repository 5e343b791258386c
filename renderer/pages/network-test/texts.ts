export const networkTest = {
  title: 'Network test',
  reporting: 'Contacting the server…',
  done: 'This device can reach Farhand',
  doneHint: (address: string) => `The Network page shows it now. This device connected to ${address}.`,
  spent: 'This device can reach Farhand, but the code is no longer valid',
  spentHint: 'A code is valid for one test and for ten minutes. Create another one on the Network page.',
  close: 'You can close this page.',
  noCode: 'This address is incomplete',
  noCodeHint: 'Open the whole address from the Network page, with the code at its end.',
  trust: 'Why did the browser warn?',
}
