import { plural } from '../../../../shared/plural.ts'
import type { AbsenceCause, AbsenceEvidenceKind } from '../../../../shared/dtos/device-absence.ts'
import { visibleName } from '../../../text/visible-name.ts'

const others = (number: number) => (number > 0 ? [plural(number, 'other', 'others')] : [])

/** "A, B and 2 others" */
const listed = (names: readonly string[], more: number) => {
  const all = [...names, ...others(more)]
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}

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

/** Reasons why a device is offline, what is known of it, and what to try. */
export const absence = {
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
}
