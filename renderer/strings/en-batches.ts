import { count, devices } from './counts.ts'

const names = (list: readonly string[], total: number) =>
  list.length < total ? `${list.join(', ')} and ${total - list.length} more` : list.join(', ')

const are = (number: number) => (number === 1 ? '1 is' : `${number.toLocaleString()} are`)

/** Texts of bulk jobs. */
export const batches = {
  title: 'Bulk jobs',
  intro: 'What you did with many devices. Only you can see it; the last 20 are kept, for 30 days at most.',
  emptyTitle: 'Nothing yet',
  emptyHint:
    'Select devices in the list, then run a command, restart, update or tag them. What becomes of each is here.',
  toDevices: 'Go to devices',
  notFound: 'No such bulk job',
  notFoundHint: 'It is older than 30 days, was deleted, or somebody else started it.',
  more: 'More actions',
  actions: {
    'run-command': 'Run command',
    restart: 'Restart',
    'shut-down': 'Shut down',
    'update-agent': 'Update agent',
    wake: 'Wake',
    'add-tag': 'Add tag',
    'remove-tag': 'Remove tag',
  },
  /** Dialog titles, also used as the labels of the confirming buttons. */
  asks: {
    'run-command': (number: number) => `Run a command on ${devices(number)}`,
    restart: (number: number) => `Restart ${devices(number)}`,
    'shut-down': (number: number) => `Shut down ${devices(number)}`,
    'update-agent': (number: number) => `Update the agent of ${devices(number)}`,
    wake: (number: number) => `Wake ${devices(number)}`,
    'add-tag': (number: number) => `Tag ${devices(number)}`,
    'remove-tag': (number: number) => `Remove the tag from ${devices(number)}`,
  },
  hints: {
    'run-command':
      'It runs in the shell of each system (PowerShell on Windows, sh elsewhere), with the rights of the agent. Only you can read the command and what it writes.',
    restart: 'At once, without asking whoever works there. Unsaved work is lost.',
    'shut-down':
      'At once, without asking whoever works there. Unsaved work is lost, and some need a hand to come on again.',
    'update-agent':
      'Each agent looks for the version that this server offers, and restarts if it is another one. Agents of another make are skipped.',
    wake: 'Neighbours on the same network call them. Whether they wake up, the list shows.',
    'add-tag': 'A tag that does not exist yet is made.',
    'remove-tag': 'Devices that do not have it stay as they are.',
  },
  names,
  summary: {
    label: 'Devices concerned',
    online: (number: number) => `${are(number)} online.`,
    offline: (number: number) => `${are(number)} offline.`,
    skippedOffline: (number: number, list: readonly string[]) =>
      `${are(number)} offline and will be skipped: ${names(list, number)}.`,
    skippedOnline: (number: number, list: readonly string[]) =>
      `${are(number)} online already and will be skipped: ${names(list, number)}.`,
    refused: (number: number, list: readonly string[]) =>
      `${are(number)} not permitted to you and will be refused: ${names(list, number)}.`,
    unseen: (number: number, list: readonly string[]) =>
      `${are(number)} not in the list on screen: ${names(list, number)}.`,
    typeCount: (number: number) => `Type ${number} to confirm`,
  },
  noneLeft: 'None is left to do this with.',
  tooMany: (most: number) => `Select at most ${most.toLocaleString()} devices at once.`,
  command: 'Command',
  timeLimit: 'Time limit',
  timeLimitHint: 'Seconds, for each device. What runs longer is ended.',
  tag: 'Tag',
  tagRules: 'Small letters, digits and hyphens, 50 at most.',
  noTags: 'There is no tag yet.',

  titles: {
    'run-command': (number: number) => `Command on ${devices(number)}`,
    restart: (number: number) => `Restart of ${devices(number)}`,
    'shut-down': (number: number) => `Shutdown of ${devices(number)}`,
    'update-agent': (number: number) => `Agent update of ${devices(number)}`,
    wake: (number: number) => `Waking ${devices(number)}`,
    'add-tag': (number: number) => `Tagging ${devices(number)}`,
    'remove-tag': (number: number) => `Untagging ${devices(number)}`,
  },
  states: {
    waiting: 'Waiting',
    running: 'Running',
    done: 'Done',
    failed: 'Failed',
    skipped: 'Skipped',
    canceled: 'Not begun',
    interrupted: 'Interrupted',
  },
  progress: (ended: number, total: number) => `${ended.toLocaleString()} of ${total.toLocaleString()} ended`,
  started: 'Started',
  took: 'took',
  atOnce: '< 1 s',
  limit: (seconds: number) => `time limit ${count(seconds, 'second', 'seconds')}`,
  showJob: 'Show each device',
  hideProgress: 'Hide this line',
  cancelWaiting: 'Begin no more',
  endRunning: 'End what runs',
  repeat: (number: number) => `Try ${devices(number)} again`,
  repeatHint: 'Those that failed, were skipped, were interrupted or had not begun',
  forget: 'Delete',
  forgetTitle: 'Delete this bulk job?',
  forgetHint: 'The command and what it wrote go with it. The devices are not touched.',
  forgetConfirm: 'Delete the bulk job',
  filters: 'Show',
  all: 'All',
  goingOn: 'Going on',
  noneOfThese: 'None of the devices is in this state.',
  list: 'Devices',
  unnamed: 'A device that you may not see',
  openDevice: 'Open the device',
  exit: (code: number) => `Exit code ${code}`,
  output: 'Output',
  errorOutput: 'Errors',
  noOutput: 'It wrote nothing.',
  isCut: 'Only the end of the output was kept.',
  copyOutput: 'Copy the output',
  copyErrors: 'Copy the errors',
  runningHint: 'It runs. What it writes is here when it has ended.',
}
