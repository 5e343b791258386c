import { plural } from '../../../shared/plural.ts'
import { deviceCount } from '../../text/format.ts'
import type { BatchKind, BatchState } from '../../../shared/dtos/batch.ts'

const names = (list: readonly string[], total: number) =>
  list.length < total ? `${list.join(', ')} and ${total - list.length} more` : list.join(', ')

const are = (number: number) => (number === 1 ? '1 is' : `${number.toLocaleString()} are`)

export const batches = {
  title: 'Bulk jobs',
  intro: 'Actions on many devices at once. Only you can see them. The last 20 are kept for 30 days.',
  emptyTitle: 'No bulk jobs yet',
  emptyHint:
    'Select devices in the list to run a command, send files, restart, update or tag them. The results appear here.',
  toDevices: 'Go to devices',
  notFound: 'Bulk job not found',
  notFoundHint: 'It may be older than 30 days, deleted, or started by another user.',
  more: 'More actions',
  actions: {
    'run-command': 'Run command',
    restart: 'Restart',
    'shut-down': 'Shut down',
    'send-files': 'Send files',
    'update-agent': 'Update agent',
    wake: 'Wake',
    'add-tag': 'Add tag',
    'remove-tag': 'Remove tag',
  } satisfies Record<BatchKind, string>,
  /** Dialog titles, also used as the labels of the confirming buttons. */
  asks: {
    'run-command': (number: number) => `Run a command on ${deviceCount(number)}`,
    restart: (number: number) => `Restart ${deviceCount(number)}`,
    'shut-down': (number: number) => `Shut down ${deviceCount(number)}`,
    'send-files': (number: number) => `Send files to ${deviceCount(number)}`,
    'update-agent': (number: number) => `Update the agent of ${deviceCount(number)}`,
    wake: (number: number) => `Wake ${deviceCount(number)}`,
    'add-tag': (number: number) => `Tag ${deviceCount(number)}`,
    'remove-tag': (number: number) => `Remove the tag from ${deviceCount(number)}`,
  } satisfies Record<BatchKind, (number: number) => string>,
  hints: {
    'run-command':
      'Runs in PowerShell on Windows and in sh elsewhere, with the rights of the agent. Only you can see its output; the audit log shows the command.',
    restart: 'Devices restart immediately. Unsaved work is lost.',
    'shut-down': 'Devices shut down immediately. Unsaved work is lost, and some devices must be switched on by hand.',
    'send-files':
      'The server keeps the files for an hour, so that you can retry devices that did not get them. What was sent stays in the audit log.',
    'update-agent':
      'Agents install the version that this server offers and restart if it differs. Agents of other makes are skipped.',
    wake: 'Nearby devices send Wake-on-LAN. The list shows when they come online.',
    'add-tag': 'A tag that does not exist yet is created.',
    'remove-tag': 'Devices without the tag are not changed.',
  } satisfies Record<BatchKind, string>,
  names,
  summary: {
    label: 'Affected devices',
    online: (number: number) => `${are(number)} online.`,
    offline: (number: number) => `${are(number)} offline.`,
    skippedOffline: (number: number, list: readonly string[]) =>
      `${are(number)} offline and will be skipped: ${names(list, number)}.`,
    skippedOnline: (number: number, list: readonly string[]) =>
      `${are(number)} online already and will be skipped: ${names(list, number)}.`,
    refused: (number: number, list: readonly string[]) =>
      `You do not have permission for ${number.toLocaleString()}: ${names(list, number)}.`,
    unseen: (number: number, list: readonly string[]) =>
      `${are(number)} not in the list on screen: ${names(list, number)}.`,
    typeCount: (number: number) => `Type ${number} to confirm`,
  },
  noneLeft: 'This action applies to none of the selected devices.',
  tooMany: (most: number) => `Select at most ${deviceCount(most)} at once.`,
  timeLimit: 'Time limit',
  timeLimitHint: 'Seconds per device. The command is stopped after that.',
  send: {
    choose: 'Choose files',
    chooseOthers: 'Choose others',
    chosen: (list: readonly string[], size: string) =>
      `${list.length > 1 ? `${plural(list.length, 'file', 'files')}, ` : ''}${size}: ${list.join(', ')}`,
    tooMany: (most: number) => `Choose at most ${plural(most, 'file', 'files')}.`,
    place: 'Where to',
    person: 'Desktop of the person who is signed in',
    personHint: 'Their own folder where there is no desktop. Devices at which nobody is signed in are skipped.',
    folder: 'A folder on each device',
    path: 'Folder',
    pathHint: 'Absolute path of a folder that exists on the devices.',
    overwrite: 'Replace files of the same name',
    leaving: (part: string) => `Sending to the server: ${part}`,
  },
  sentTo: (list: readonly string[], folder: string | null) =>
    `${list.join(', ')} → ${folder ?? 'desktop of the person who is signed in'}`,
  sending: (part: string) => `${part} sent`,
  tag: 'Tag',
  tagRules: 'Lowercase letters, digits and hyphens, up to 50 characters.',
  noTags: 'No tags yet.',

  titles: {
    'run-command': (number: number) => `Command on ${deviceCount(number)}`,
    restart: (number: number) => `Restart of ${deviceCount(number)}`,
    'shut-down': (number: number) => `Shutdown of ${deviceCount(number)}`,
    'send-files': (number: number) => `Files to ${deviceCount(number)}`,
    'update-agent': (number: number) => `Agent update of ${deviceCount(number)}`,
    wake: (number: number) => `Waking ${deviceCount(number)}`,
    'add-tag': (number: number) => `Tagging ${deviceCount(number)}`,
    'remove-tag': (number: number) => `Untagging ${deviceCount(number)}`,
  } satisfies Record<BatchKind, (number: number) => string>,
  states: {
    waiting: 'Waiting',
    running: 'Running',
    done: 'Done',
    failed: 'Failed',
    skipped: 'Skipped',
    canceled: 'Not started',
    interrupted: 'Interrupted',
  } satisfies Record<BatchState, string>,
  progress: (ended: number, total: number) => `${ended.toLocaleString()} of ${total.toLocaleString()} finished`,
  started: 'Started',
  took: 'took',
  limit: (seconds: number) => `time limit ${plural(seconds, 'second', 'seconds')}`,
  showJob: 'Show each device',
  hideProgress: 'Hide this line',
  cancelWaiting: 'Cancel waiting devices',
  endRunning: 'Stop running commands',
  endSending: 'Stop sending',
  repeat: (number: number) => `Retry ${deviceCount(number)}`,
  repeatHint: 'Devices that failed, were skipped or interrupted, or did not start',
  forgetTitle: 'Delete this bulk job?',
  forgetHint: 'The job and its results are deleted. The devices are not affected.',
  forgetConfirm: 'Delete the bulk job',
  filters: 'Show',
  all: 'All',
  goingOn: 'In progress',
  noneOfThese: 'No devices in this state.',
  list: 'Devices',
  unnamed: 'Device without access',
  openDevice: 'Open the device',
  exit: (code: number) => `Exit code ${code}`,
  output: 'Output',
  errorOutput: 'Errors',
  noOutput: 'No output.',
  isCut: 'Output truncated: only the end was kept.',
  copyOutput: 'Copy the output',
  copyErrors: 'Copy the errors',
  runningHint: 'Running. The output appears when the command has finished.',
}
