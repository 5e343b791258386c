import type { DeviceResponseDto } from '../../../../shared/dtos/device.ts'
import type { AskedAction } from '../../../components/device-actions.ts'
import * as t from '../../../texts.ts'

/** Progress of an action on the device. Times in ms since the epoch. */
export interface Outcome {
  action: AskedAction
  askedAt: number
  phase: 'asking' | 'waiting' | 'away' | 'done' | 'failed'
  /** Reply of the server or the agent. */
  answer?: string
  awayAt?: number
  doneAt?: number
  /** State of the device when the action was requested. */
  before: Seen
}

type Seen = Pick<DeviceResponseDto, 'isOnline' | 'lastSeen' | 'agentVersion'>

/** Time after which a delay is reported; the action may still finish. */
const lateMs: Record<AskedAction, number> = {
  wake: 180_000,
  restart: 300_000,
  shutdown: 90_000,
  lock: 20_000,
  logOff: 20_000,
  sleep: 90_000,
  firmware: 90_000,
  safeMode: 300_000,
  refresh: 20_000,
  update: 300_000,
  uninstall: 60_000,
}

/** Whether the action has had its effect. */
const isReached: Record<AskedAction, (outcome: Outcome, device: Seen) => boolean> = {
  wake: (_, { isOnline }) => isOnline,
  restart: ({ phase }, { isOnline }) => phase === 'away' && isOnline,
  shutdown: (_, { isOnline }) => !isOnline,
  // The agent answers when it is done.
  lock: () => true,
  logOff: () => true,
  sleep: (_, { isOnline }) => !isOnline,
  firmware: (_, { isOnline }) => !isOnline,
  safeMode: ({ phase }, { isOnline }) => phase === 'away' && isOnline,
  refresh: ({ before }, { isOnline, lastSeen }) => isOnline && lastSeen !== before.lastSeen,
  update: ({ before }, { isOnline, agentVersion }) => isOnline && agentVersion !== before.agentVersion,
  uninstall: (_, { isOnline }) => !isOnline,
}

/** Returns the outcome updated by the device's state; the same object if nothing has changed. */
export function advance(outcome: Outcome, device: Seen, now: number): Outcome {
  if (outcome.phase !== 'waiting' && outcome.phase !== 'away') {
    return outcome
  }
  if (isReached[outcome.action](outcome, device)) {
    return { ...outcome, phase: 'done', doneAt: now }
  }
  if (outcome.action === 'update' && outcome.phase === 'away' && device.isOnline) {
    return { ...outcome, phase: 'failed', answer: t.visit.sameVersion(device.agentVersion) }
  }
  return outcome.phase === 'waiting' && !device.isOnline && outcome.action !== 'wake'
    ? { ...outcome, phase: 'away', awayAt: now }
    : outcome
}

export const isLate = ({ action, phase, askedAt }: Outcome, now: number) =>
  (phase === 'waiting' || phase === 'away') && now - askedAt > lateMs[action]
