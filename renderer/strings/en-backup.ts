import { count } from './counts.ts'
import { quoted } from './permission-names.ts'

/** Texts of the Backup page, and of a restore at the first run. */
export const backup = {
  title: 'Backup',
  intro: 'Copies of everything on this server, encrypted. One file and the recovery key bring it back on any computer.',
  readOnly: `You can see the state. Changes need ${quoted('server.permissions.write')}.`,

  newest: 'Newest backup',
  none: 'None yet.',
  old: 'No backup was made for two days.',
  oldSince: 'The newest backup was made',
  never: 'Backups are on, but none was made yet.',
  open: 'Open Backup',
  failed: (reason: string) => `The last attempt failed. ${reason}`,
  file: 'File',
  size: 'Size',
  rehearsal: 'Restorable',
  rehearsed: 'Yes, checked',
  rehearsedCounts: (people: number, devices: number, organizations: number) =>
    `${count(people, 'account', 'accounts')}, ${count(devices, 'device', 'devices')}, ${count(organizations, 'organization', 'organizations')}`,
  notRehearsed: 'Not checked yet. The newest backup is opened and checked once a week.',
  notRestorable: (problem: string) => `No. ${problem}`,
  make: 'Back up now',
  making: 'Writing the backup…',
  rehearse: 'Check it now',
  checking: 'Opening the newest backup and checking its database…',
  needsKey: 'Make a recovery key first: without one, no backup can be written.',
  needsFolder: 'Choose a folder first.',

  key: 'Recovery key',
  keyHint:
    'Opens every backup made since it exists. This server cannot show it again, and nobody can restore without it.',
  noKey: 'There is no recovery key yet.',
  fingerprint: 'Fingerprint',
  madeAt: 'Made',
  provedAt: 'Last checked',
  neverProved: 'never: check that you have it',
  makeKey: 'Make a recovery key',
  changeKey: 'Change the key',
  changeQuestion: 'Make another recovery key?',
  changeHint: (fingerprint: string) =>
    `New backups open with the new key. Backups made until now still need the key ${fingerprint}: keep both.`,
  changeConfirm: 'Make another key',
  shown: 'Your recovery key',
  shownHint:
    'Print it or write it down, and keep it away from this computer. It is shown once: without it, no backup can be opened.',
  copy: 'Copy the key',
  print: 'Print',
  prove: 'I still have it',
  proveTitle: 'Check that you have the recovery key',
  proveLabel: 'Recovery key',
  proveHint: '8 groups of 5 characters. Case and hyphens do not matter.',
  proveSubmit: 'Check',
  printed: (computer: string) => `Recovery key of Farhand on ${computer}`,

  schedule: 'Every night',
  scheduleHint:
    'Choose a folder on another disk, a USB drive or a network share. A copy is made before each update, too.',
  folder: 'Folder on the computer of the server',
  sameDisk:
    'This folder is on the disk of the data: a lost disk takes both. Choose a folder on another disk or a network share.',
  folderHint: 'Full path. Left empty, no nightly backups are made.',
  folderExample: '/mnt/backup/farhand',
  hour: 'At',
  daily: 'Days kept',
  weekly: 'Weeks kept',
  monthly: 'Months kept',
  off: 'Nightly backups are off.',
  on: (hour: string) => `Each night at ${hour}, in the time zone of the server.`,

  copies: 'Backups in the folder',
  noCopies: 'There are no backups in the folder yet.',
  when: 'Made',
  computer: 'Computer',
  opensWith: 'Opens with key',
  damaged: 'Damaged: its beginning cannot be read.',
  foreign: 'of another server',
  restore: 'Restore…',

  restoreTitle: 'Restore a backup',
  restoreHint: (when: string) =>
    `The server restarts with its state of ${when}. What it has now is moved into a folder beside it, not deleted. Everybody has to sign in again.`,
  restoreSubmit: 'Restore and restart',
  restoring: 'Opening the backup and checking its database…',
  restored: 'The backup is in place.',
  restarting: 'The server restarts. The sign-in page opens when it answers.',
  restartIt: 'Restart the server to use it.',

  lostTitle: 'Farhand cannot open its data',
  lostIntro:
    'Restore a backup with its recovery key. The present data is moved aside. Or fix the cause, and restart the server.',
  firstRun: 'Restore a backup instead',
  firstRunTitle: 'Restore a backup',
  firstRunIntro: 'Brings back accounts, devices and rights of another Farhand. You need the file and its recovery key.',
  back: 'Create an account instead',
  upload: 'Backup file',
  uploadHint: 'A file that ends with .farhand-backup.',
  path: 'Or its path on the computer of the server',
  pathHint: 'For large files: nothing is uploaded.',
  firstRunSubmit: 'Restore',
}
