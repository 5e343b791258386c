import { visibleName } from '../../../text/visible-name.ts'
import { absence } from './absence-texts.ts'

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

  absence,

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
