import { plural } from '../../../../shared/plural.ts'
import type { AbsenceCause, AbsenceEvidenceKind } from '../../../../shared/dtos/device-absence.ts'
import { visibleName } from '../../../text/visible-name.ts'

const others = (number: number) => (number > 0 ? [plural(number, 'other', 'others')] : [])

/** "A, B and 2 others" */
const listed = (names: readonly string[], more: number) => {
  const all = [...names, ...others(more)]
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}

/** Texts of an action, by phase. */
interface OutcomeTexts {
  asking: string
  waiting: string
  away: (when: string) => string
  done: (took: string) => string
  late: string
}

const asking = 'Contacting the agent…'

const immediate = { asking, waiting: asking, away: (when: string) => `Offline since ${when}.`, late: asking }

const outcomes = {
  wake: {
    asking: 'Contacting nearby devices…',
    waiting: 'Waiting for the device to come online.',
    away: () => 'Waiting for the device to come online.',
    done: (took) => `Online ${took} after the magic packet.`,
    late: 'Still offline. Check that Wake-on-LAN is enabled in the firmware and for the network card, and that power and network cable are connected.',
  },
  restart: {
    asking,
    waiting: 'Request accepted. Waiting for the device to go offline.',
    away: (when) => `Offline since ${when}. Waiting for the device to come back.`,
    done: (took) => `Restarted: back online after ${took}.`,
    late: 'This takes longer than usual. System updates, a prompt on the screen or a disk password may delay it.',
  },
  shutdown: {
    asking,
    waiting: 'Request accepted. Waiting for the device to go offline.',
    away: (when) => `Offline since ${when}.`,
    done: (took) => `Offline ${took} after the request.`,
    late: 'Still online. The system may have rejected the request, or a program may block the shutdown.',
  },
  lock: { ...immediate, done: () => 'The screens there are locked.' },
  logOff: { ...immediate, done: () => 'Everybody was signed out.' },
  sleep: {
    asking,
    waiting: 'Request accepted. Waiting for the device to go offline.',
    away: (when) => `Offline since ${when}.`,
    done: (took) => `Asleep ${took} after the request.`,
    late: 'Still online. A program or a setting of the system may keep the device awake.',
  },
  firmware: {
    asking,
    waiting: 'Request accepted. Waiting for the device to go offline.',
    away: (when) => `Offline since ${when}.`,
    done: (took) =>
      `Restarted into its firmware ${took} after the request. It is back once somebody leaves the settings there.`,
    late: 'Still online. The firmware may offer no restart into its settings.',
  },
  safeMode: {
    asking,
    waiting: 'Request accepted. Waiting for the device to go offline.',
    away: (when) => `Offline since ${when}. Waiting for the device to come back in safe mode.`,
    done: (took) => `In safe mode: back online after ${took}. The next restart is a normal one.`,
    late: 'This takes longer than usual. In safe mode, Wi-Fi may not work; restart the device by hand for a normal start.',
  },
  refresh: {
    asking,
    waiting: 'Waiting for the report of the agent.',
    away: () => 'The device went offline before it reported.',
    done: () => 'Report received.',
    late: 'No report received. The agent may be busy.',
  },
  update: {
    asking,
    waiting: 'The agent checks the version that this server offers.',
    away: (when) => `Updating since ${when}. Waiting for the new version to connect.`,
    done: (took) => `The new version connected after ${took}.`,
    late: 'The version has not changed. Agents that run from source are not updated; otherwise the installer log has the reason.',
  },
  uninstall: {
    asking,
    waiting: 'Uninstalling. Waiting for the agent to disconnect.',
    away: (when) => `The agent disconnected at ${when}. The device stays in the list until you delete it.`,
    done: () => 'The agent has disconnected. The device stays in the list until you delete it.',
    late: 'The agent is still connected. Uninstall it on the device itself.',
  },
} satisfies Record<string, OutcomeTexts>

export interface CauseTexts {
  title: string
  why: string
  hint: string
  /** Replaces `title` while the device can still be expected back: for so many minutes after the last evidence. */
  soon?: { minutes: number; title: string }
  /** Replaces `hint` where no magic packet can be sent; absent where waking the device would not help. */
  hintWithoutWake?: string
}

/** Title, explanation and advice per cause. */
const causes: Record<AbsenceCause, CauseTexts> = {
  'never-connected': {
    title: 'The agent has not connected yet',
    why: 'The device was registered, but has never connected.',
    hint: 'Check on the device that the agent is running and can reach this server.',
  },
  stopped: {
    title: 'The agent was stopped',
    why: 'It closed the connection normally, as when its service stops, or when the device shuts down or sleeps.',
    hint: 'Wake the device, or start the agent’s service on it.',
    hintWithoutWake: 'Switch the device on, or start the agent’s service on it.',
  },
  uninstalled: {
    title: 'The agent was uninstalled',
    why: 'Uninstalling was requested here, and the agent disconnected.',
    hint: 'Delete the device here, or deploy an agent on it again.',
  },
  update: {
    title: 'The device has not come back from an agent update',
    soon: { minutes: 10, title: 'The agent is being updated' },
    why: 'It disconnected during an agent update.',
    hint: 'The installer rolls back if the new version does not connect. After ten minutes, check its log on the device.',
  },
  shutdown: {
    title: 'The device is off',
    why: 'It was shut down.',
    hint: 'Wake the device, or switch it on.',
    hintWithoutWake: 'Switch the device on.',
  },
  restart: {
    title: 'The device has not come back from a restart',
    soon: { minutes: 5, title: 'The device is restarting' },
    why: 'It was restarted.',
    hint: 'System updates, a prompt on the screen or a disk password can delay it.',
  },
  killed: {
    title: 'The connection was reset',
    why: 'It ended without a close, although the other end still responded: the agent crashed or was killed, the device went down abruptly, or a router on the path dropped it.',
    hint: 'Wait a minute: a running agent reconnects automatically. Otherwise wake the device, or start the agent’s service on it.',
    hintWithoutWake:
      'Wait a minute: a running agent reconnects automatically. Otherwise switch the device on, or start the agent’s service on it.',
  },
  vanished: {
    title: 'The device stopped responding',
    why: 'No data arrived any more, not even a close: the device lost its network or power, or went to sleep.',
    hint: 'Wake the device. If it is running, check its network.',
    hintWithoutWake: 'Switch the device on. If it is running, check its network.',
  },
  'refused-key': {
    title: 'The device has another key',
    why: 'A connection as this device used another key than the registered one, and was rejected.',
    hint: 'If the agent was reinstalled or the device was cloned, run the install command on it again. If not, somebody may be impersonating the device.',
  },
  'refused-clock': {
    title: 'The clock of the device is wrong',
    why: 'It connects, but its clock differs too much from this server’s, so it is rejected.',
    hint: 'Correct the clock of the device, or of this server.',
  },
  'refused-tenant': {
    title: 'The device connects for another organization',
    why: 'It connects with another organization than the one it belongs to, so it is rejected.',
    hint: 'Run the install command of the correct organization on it again.',
  },
  'two-machines': {
    title: 'Two machines use the identity of this device',
    why: 'The folder of its agent was copied, or a machine was cloned. Both connect as this device, so it takes no commands until you choose which of them it is.',
    hint: 'The other machine becomes a new device in the list. If nobody copied this machine, somebody may have stolen its key: run the install command on it again.',
  },
  'server-down': {
    title: 'The device has not come back since this server was down',
    soon: { minutes: 2, title: 'The device has not reconnected yet: this server was down' },
    why: 'It was connected when this server stopped.',
    hint: 'Agents reconnect within a minute. If this one does not, the device is off or can no longer reach this server.',
  },
  'server-asleep': {
    title: 'The device has not come back since this server was asleep',
    soon: { minutes: 2, title: 'The device has not reconnected yet: this server was asleep' },
    why: 'It was connected when the computer of this server went to sleep.',
    hint: 'Agents reconnect within a minute. If this one does not, the device is off or can no longer reach this server. Turn off sleep on the computer of this server.',
  },
  'server-ended': {
    title: 'This server ended the connection',
    why: 'The device was registered again, or sent invalid data.',
    hint: 'A running agent reconnects within a minute.',
  },
  unknown: {
    title: 'The device is offline',
    why: 'It disconnected before this server recorded reasons.',
    hint: 'Wake the device, or check that the agent is running and can reach this server.',
    hintWithoutWake: 'Switch the device on, or check that the agent is running and can reach this server.',
  },
}

const evidence: Record<AbsenceEvidenceKind, (detail: string) => string> = {
  registered: () => 'The device was registered.',
  'last-seen': () => 'The device was last seen.',
  closed: () => 'The agent closed the connection.',
  broken: () => 'The connection was reset.',
  silent: () => 'The connection timed out.',
  'announced-stop': () => 'The agent reported that it is stopping.',
  'announced-shutdown': () => 'The agent reported that the device is shutting down.',
  'announced-restart': () => 'The agent reported that the device is restarting.',
  'announced-update': () => 'The agent reported that it is being updated.',
  'announced-uninstall': () => 'The agent reported that it is being uninstalled.',
  'asked-restart': () => 'A restart was requested here.',
  'asked-shutdown': () => 'A shutdown was requested here.',
  'asked-update': (version) => `An update of agent ${version} was requested here.`,
  'asked-uninstall': () => 'Uninstalling the agent was requested here.',
  'refused-key': (address) => `A connection from ${address} used another key.`,
  'refused-clock': (address) => `A connection from ${address} had a wrong time.`,
  'refused-tenant': (address) => `A connection from ${address} named another organization.`,
  'two-machines': () => 'Two machines reported in turns, with different facts.',
  woken: () => 'A magic packet was sent.',
  'wrong-identity': (seen) =>
    `The agent reached another server instead of this one, and sent it nothing. At ${visibleName(seen)}.`,
  'update-refused': (reason) => `The agent rejected an update: ${visibleName(reason)}`,
  'server-down': () => 'This server stopped.',
  'server-up': () => 'This server started again.',
  'server-asleep': () => 'The computer of this server went to sleep.',
  'server-awake': () => 'The computer of this server woke up.',
}

export const visit = {
  signedIn: (names: readonly string[]) => `Signed in: ${names.join(', ')}`,
  wasSignedIn: (names: readonly string[]) => `Was signed in: ${names.join(', ')}`,
  updated: 'updated',
  lastReport: 'The details below are from the last report before it went offline,',
  actions: 'Actions',
  more: 'More',
  wake: 'Wake',
  restart: 'Restart',
  shutdown: 'Shut down',
  lock: 'Lock',
  logOff: 'Sign everybody out',
  sleep: 'Sleep',
  firmware: 'Restart into firmware',
  safeMode: 'Restart into safe mode',
  orderPower: 'Restart or shut down later',
  update: 'Update agent',
  updateTo: 'Update',
  ownWindow: 'Open in own window',
  newTab: 'Open in new tab',
  uninstall: 'Uninstall agent',
  otherMake: 'This server updates its own agents only',
  alreadyOnline: 'The device is online',
  noMac: 'No network card is known',
  noNeighbour: 'No nearby device is online to wake it',
  findingNeighbour: 'Looking for a device that can wake it',
  mayNotWake: 'You do not have permission to wake it',
  confirm: {
    restart: {
      title: (name: string) => `Restart ${name}?`,
      hint: 'It restarts immediately. Unsaved work is lost.',
      button: (name: string) => `Restart ${name}`,
    },
    shutdown: {
      title: (name: string) => `Shut down ${name}?`,
      hint: 'It shuts down immediately. Unsaved work is lost, and the device must be switched on or woken again.',
      button: (name: string) => `Shut down ${name}`,
    },
    logOff: {
      title: (name: string) => `Sign everybody out of ${name}?`,
      hint: 'Their programs are closed immediately. Unsaved work is lost.',
      button: (name: string) => `Sign out of ${name}`,
    },
    sleep: {
      title: (name: string) => `Put ${name} to sleep?`,
      hint: 'Sessions end, and somebody or a magic packet must wake it.',
      button: (name: string) => `Put ${name} to sleep`,
    },
    firmware: {
      title: (name: string) => `Restart ${name} into its firmware?`,
      hint: 'Unsaved work is lost. The device stays offline until somebody there leaves the settings of the firmware.',
      button: (name: string) => `Restart ${name}`,
    },
    safeMode: {
      title: (name: string) => `Restart ${name} into safe mode with network?`,
      hint: 'Unsaved work is lost. The next restart after that is a normal one. In safe mode, Wi-Fi may not work: use it on devices with a network cable.',
      button: (name: string) => `Restart ${name}`,
    },
    uninstall: {
      title: (name: string) => `Uninstall the agent of ${name}?`,
      hint: 'You lose all access. Settings, key and log on the device are deleted: an agent installed there later is a new device in the list.',
      button: (name: string) => `Uninstall from ${name}`,
    },
  },
  outcomes,
  refreshName: 'Refresh',
  refused: (reason: string) => `Request failed: ${reason}`,
  sameVersion: (version: string) =>
    `The agent reconnected with the same version, ${version}. The installer log on the device has the reason.`,
  noAnswer: 'The server is not responding.',
  updateRefused: 'The agent rejected an update',
  dismiss: 'Dismiss',
  took: (ms: number) => (ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`),

  absence: {
    causes,
    evidence,
    since: (when: string) => `Offline since ${when}`,
    evidenceTitle: 'What is known',
    tryTitle: 'What to try',
    wakeIt: 'Wake it',
    wakeNear: (names: readonly string[], more: number) =>
      `A magic packet from ${listed(names, more)}, on the same network`,
    wakeFar: (names: readonly string[], more: number) =>
      `A magic packet from ${listed(names, more)}, behind the same public address`,
    wakeAlso: (number: number) => `, and ${plural(number, 'more', 'more')} behind the same public address`,
    noNeighbour:
      'No other device of the same customer is online behind its public address, so no device can send a magic packet.',
    noMac: 'The agent never reported a network card, so no magic packet can be sent.',
    mayNotWake: 'You do not have permission to wake it.',
    lastWake: (names: readonly string[], more: number) => `The last magic packet was sent by ${listed(names, more)}`,
    failed: 'The reason could not be loaded.',
    machines: 'Which machine is this device?',
    machine: (name: string, os: string) => `${visibleName(name)}, ${visibleName(os)}`,
    hardware: (processors: number, memory: string) => `${plural(processors, 'processor', 'processors')}, ${memory}`,
    keep: 'This one stays',
    kept: 'The machine that stays reconnects within a minute.',
    mayNotChoose: 'You need the right to remove this device to choose.',
  },

  stranger: {
    title: 'The agent reached another server instead of this one',
    seen: (seen: string) => `It was at ${visibleName(seen)}.`,
    hint: 'The agent sent it nothing and is connected here. If that address now belongs to another machine, dismiss this notice. If not, somebody on its network may be impersonating this server.',
    dismissHint: 'Dismisses it for everyone. You’ll be warned if it happens again.',
  },

  desktops: {
    title: 'Desktops',
    none: 'No open desktops.',
    offline: 'Desktops are listed while the device is online.',
    console: 'Console',
    rdp: 'Remote Desktop',
    asks: 'not yet permitted by the system',
    nobody: 'nobody signed in',
    show: 'Show preview',
    again: 'Refresh preview',
    taken: 'Taken',
    enlarge: 'Enlarge preview',
    picture: (name: string) => `Picture of the desktop ${name}`,
    failed: 'The desktops could not be listed',
  },

  labels: {
    title: 'Belongs to',
    groups: 'Groups',
    tags: 'Tags',
    none: 'None',
    addTag: 'Add a tag',
    noTags: 'No more tags',
    removeTag: (name: string) => `Remove ${name}`,
  },

  notes: {
    title: 'Notes',
    empty: 'What should the next person know about this device?',
    add: 'Add a note',
    save: 'Save note',
    text: 'Text of the note',
    placeholder: 'Markdown: **bold**, - lists, `code`, links',
    edit: 'Edit note',
    delete: 'Delete note',
    edited: ', edited',
    deleted: 'The note is deleted.',
    picture: (author: string) => `Picture in the note of ${author}`,
  },

  palette: {
    on: (verb: string, name: string) => `${verb} on ${name}`,
    act: (verb: string, name: string) => `${verb} ${name}`,
    here: 'This device',
    recent: 'Recent devices',
    showAll: (number: number) => `Show all ${number.toLocaleString()} in the list`,
  },
}
