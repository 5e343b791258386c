import type { AbsenceCause, AbsenceEvidenceKind } from '../../shared/dtos/device-absence.ts'
import { count } from './counts.ts'
import { visibleName } from './visible-name.ts'

const others = (number: number) => (number > 0 ? [count(number, 'other', 'others')] : [])

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

const asking = 'Asking the agent…'

const outcomes = {
  wake: {
    asking: 'Asking the neighbours…',
    waiting: 'Waiting for the device to come up.',
    away: () => 'Waiting for the device to come up.',
    done: (took) => `It came up ${took} after the magic packet.`,
    late: 'It has not come up. Check that Wake-on-LAN is on in its firmware and for its network card, and that it has power and a cable.',
  },
  restart: {
    asking,
    waiting: 'The agent took the order. Waiting for the device to go down.',
    away: (when) => `It went down at ${when}. Waiting for it to come back.`,
    done: (took) => `Restarted: it is back after ${took}.`,
    late: 'This takes longer than usual. Updates of its system, a question on its screen or a password for its disk may hold it up.',
  },
  shutdown: {
    asking,
    waiting: 'The agent took the order. Waiting for the device to go down.',
    away: (when) => `It went down at ${when}.`,
    done: (took) => `It is off, ${took} after the order.`,
    late: 'It is still online. Its system may have refused, or a program on its screen may hold it up.',
  },
  refresh: {
    asking,
    waiting: 'The agent was asked. Waiting for its report.',
    away: () => 'The device went offline before it reported.',
    done: () => 'The agent has reported.',
    late: 'No report has come. The agent may be busy.',
  },
  update: {
    asking,
    waiting: 'The agent looks for the version that this server offers.',
    away: (when) => `It went for its update at ${when}. Waiting for the new version to connect.`,
    done: (took) => `The new version is connected, after ${took}.`,
    late: 'The version is still the same. An agent that runs from its sources is not updated; else its installer log says why.',
  },
  uninstall: {
    asking,
    waiting: 'The agent was asked to remove itself. Waiting for it to leave.',
    away: (when) => `The agent left at ${when}. The device stays in the list until you delete it.`,
    done: () => 'The agent has left. The device stays in the list until you delete it.',
    late: 'The agent is still connected. Remove it on the machine itself.',
  },
} satisfies Record<string, OutcomeTexts>

/** Title, explanation and advice per cause. */
const causes: Record<AbsenceCause, { title: string; why: string; hint: string }> = {
  'never-connected': {
    title: 'Its agent has not connected yet',
    why: 'The device was registered, and nothing has come from it since.',
    hint: 'Check on the machine that the agent runs and that it reaches this server.',
  },
  stopped: {
    title: 'Its agent was stopped',
    why: 'It ended the connection in an orderly way, as it does when its service is stopped or the machine goes off or to sleep.',
    hint: 'Wake the machine, or start the agent’s service on it.',
  },
  uninstalled: {
    title: 'Its agent was uninstalled',
    why: 'It was asked to remove itself, and left.',
    hint: 'Delete the device here, or deploy an agent on it again.',
  },
  update: {
    title: 'It has not come back from an update of its agent',
    why: 'It went while its agent was being updated.',
    hint: 'The installer puts the old version back when the new one does not come up. After ten minutes look into its log on the machine.',
  },
  shutdown: {
    title: 'The machine is off',
    why: 'It was switched off.',
    hint: 'Wake it, or switch it on.',
  },
  restart: {
    title: 'The machine has not come back from a restart',
    why: 'It was restarted.',
    hint: 'Updates of its system can take long. A question on its screen or a password for its disk can hold it up.',
  },
  killed: {
    title: 'The connection broke',
    why: 'It ended without a goodbye while something at the other end still answered: the agent crashed or was killed, the machine went down abruptly, or a router on the way cut it.',
    hint: 'Wait a minute: a running agent comes back by itself. Else wake the machine, or start the agent’s service on it.',
  },
  vanished: {
    title: 'It fell silent',
    why: 'Nothing came any more, not even an end: the network was lost, the machine went to sleep, or its power did.',
    hint: 'Wake it. If it is up, check its network.',
  },
  'refused-key': {
    title: 'It comes with another identity',
    why: 'Somebody connects as this device, with a key that is not the one this server knows. It is refused.',
    hint: 'If the agent was installed anew or the machine was cloned, run the install command on it again. If not, somebody pretends to be it.',
  },
  'refused-clock': {
    title: 'Its clock is wrong',
    why: 'It connects, and what it signs bears a time too far from this server’s. It is refused.',
    hint: 'Set the clock of the machine, or of this server.',
  },
  'refused-tenant': {
    title: 'It comes as a device of another organization',
    why: 'It connects, and names another organization than the one it belongs to. It is refused.',
    hint: 'Run the install command of the right organization on it again.',
  },
  'server-down': {
    title: 'It has not come back since this server was down',
    why: 'It was connected when this server stopped. That it went then is not its fault.',
    hint: 'Agents come back within a minute. If it does not, it went off in the meantime, or no longer reaches this server.',
  },
  'server-ended': {
    title: 'This server ended the connection',
    why: 'It was registered anew, or sent what cannot be read.',
    hint: 'A running agent comes back by itself within a minute.',
  },
  unknown: {
    title: 'It is away',
    why: 'It went before this server kept evidence, so why is not known.',
    hint: 'Wake it, or check that the agent runs and reaches this server.',
  },
}

const evidence: Record<AbsenceEvidenceKind, (detail: string) => string> = {
  registered: () => 'The device was registered.',
  'last-seen': () => 'It was last seen.',
  closed: () => 'The agent closed the connection.',
  broken: () => 'The connection broke without a goodbye.',
  silent: () => 'Nothing had come for so long that the server gave up.',
  'announced-stop': () => 'The agent said that it is being stopped.',
  'announced-shutdown': () => 'The agent said that the machine switches off.',
  'announced-restart': () => 'The agent said that the machine restarts.',
  'announced-update': () => 'The agent said that it is being updated.',
  'announced-uninstall': () => 'The agent said that it is being removed.',
  'asked-restart': () => 'A restart was asked for from here.',
  'asked-shutdown': () => 'A shutdown was asked for from here.',
  'asked-update': (version) => `An update of agent ${version} was asked for from here.`,
  'asked-uninstall': () => 'The agent was asked from here to remove itself.',
  'refused-key': (address) => `Somebody at ${address} came as this device with another key.`,
  'refused-clock': (address) => `It came from ${address} with a wrong time.`,
  'refused-tenant': (address) => `It came from ${address} as a device of another organization.`,
  woken: () => 'A magic packet was sent.',
  'wrong-identity': (seen) =>
    `Its agent met another server in place of this one, and sent it nothing. At ${visibleName(seen)}.`,
  'update-refused': (reason) => `The agent refused an update: ${visibleName(reason)}`,
  'server-down': () => 'This server stopped.',
  'server-up': () => 'This server was up again.',
}

/** Texts of the head and the overview of a device. */
export const visit = {
  signedIn: (names: readonly string[]) => `Signed in: ${names.join(', ')}`,
  wasSignedIn: (names: readonly string[]) => `Was signed in: ${names.join(', ')}`,
  updated: 'updated',
  lastReport: 'What follows is from its last report,',
  actions: 'Actions',
  more: 'More',
  wake: 'Wake',
  restart: 'Restart',
  shutdown: 'Shut down',
  update: 'Update agent',
  updateTo: 'Update',
  ownWindow: 'Open in own window',
  newTab: 'Open in new tab',
  uninstall: 'Uninstall agent',
  needsOnline: 'The device is offline',
  otherMake: 'This server updates its own agents only',
  alreadyOnline: 'The device is online',
  noMac: 'Its network card is not known',
  noNeighbour: 'No online device near it can wake it',
  findingNeighbour: 'Looking for a device that can wake it',
  mayNotWake: 'You do not have the right to wake it',
  confirm: {
    restart: {
      title: (name: string) => `Restart ${name}?`,
      hint: 'At once, without asking whoever works there. What is not saved there is lost.',
      button: (name: string) => `Restart ${name}`,
    },
    shutdown: {
      title: (name: string) => `Shut down ${name}?`,
      hint: 'At once, without asking whoever works there. What is not saved there is lost, and somebody has to switch it on again or wake it.',
      button: (name: string) => `Shut down ${name}`,
    },
    uninstall: {
      title: (name: string) => `Uninstall the agent of ${name}?`,
      hint: 'You lose all access. Settings, key and log on the machine go too: an agent installed there later is a new device in the list.',
      button: (name: string) => `Uninstall from ${name}`,
    },
  },
  outcomes,
  refreshName: 'Refresh',
  refused: (reason: string) => `That did not work: ${reason}`,
  sameVersion: (version: string) =>
    `The agent came back with the same version, ${version}. The log of its installer on the device says why.`,
  noAnswer: 'The server does not answer.',
  updateRefused: 'The agent refused an update',
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
    wakeAlso: (number: number) => `, and ${count(number, 'more', 'more')} behind the same public address`,
    noNeighbour:
      'No other device of the same customer is online behind its public address, so nothing here can send it a magic packet.',
    noMac: 'The agent never reported a network card, so no magic packet can be made.',
    mayNotWake: 'You do not have the right to wake it.',
    lastWake: (names: readonly string[], more: number) => `The last magic packet was sent by ${listed(names, more)}`,
    failed: 'Why it is away could not be loaded.',
  },

  stranger: {
    title: 'Its agent met another server in place of this one',
    seen: (seen: string) => `It was at ${visibleName(seen)}.`,
    hint: 'The agent sent it nothing and is connected here. If that address belongs to another machine now, all is well. If not, somebody on its network stands in for this server.',
    dismissHint: 'It goes for everyone. If it happens again, it is told again.',
  },

  load: {
    title: 'Load, last 24 hours',
    cpu: 'CPU',
    memory: 'Memory',
    online: 'Online',
    now: (value: string) => `${value} now`,
    last: (value: string) => `${value} at last`,
    ofDay: (value: string) => `${value} of the known time`,
    describe: (label: string, latest: string, highest: string) =>
      `${label} over the last 24 hours: ${latest}, highest ${highest}`,
    describeOnline: (value: string) => `Online for ${value} of the known time of the last 24 hours`,
    at: (when: string, value: string) => `${when}: ${value}`,
    unknown: 'not known',
    empty: 'Nothing is known yet: agents report every five minutes.',
    dayAgo: '24 h ago',
    present: 'now',
  },

  desktops: {
    title: 'Desktops',
    none: 'Nobody has a desktop open.',
    offline: 'Desktops are listed while the device is online.',
    console: 'Console',
    rdp: 'Remote Desktop',
    asks: 'its system still has to allow control',
    nobody: 'nobody signed in',
    show: 'Show preview',
    again: 'Take a new picture',
    taken: 'Taken',
    enlarge: 'Show the picture large',
    picture: (name: string) => `Picture of the desktop ${name}`,
    failed: 'The desktops could not be listed',
  },

  labels: {
    title: 'Belongs to',
    customer: 'Customer',
    groups: 'Groups',
    tags: 'Tags',
    none: 'None',
    addTag: 'Add a tag',
    noTags: 'No more tags',
    removeTag: (name: string) => `Take off ${name}`,
  },

  palette: {
    on: (verb: string, name: string) => `${verb} on ${name}`,
    act: (verb: string, name: string) => `${verb} ${name}`,
    recent: 'Recent devices',
    showAll: (number: number) => `Show all ${number.toLocaleString()} in the list`,
  },
}
