import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { en as t } from '../../strings/en.ts'

export type ActionName = keyof typeof t.visit.outcomes

/** How far an action on the device is, as the page sees it. Times in ms since 1970. */
export interface Outcome {
  action: ActionName
  askedAt: number
  phase: 'asking' | 'waiting' | 'away' | 'done' | 'failed'
  /** What was answered, in the words of the server or the agent. */
  answer?: string
  awayAt?: number
  doneAt?: number
  /** As the device was when it was asked. */
  before: Seen
}

type Seen = Pick<DeviceResponseDto, 'isOnline' | 'lastSeen' | 'agentVersion'>

/** After so long it is said that it takes long; it may still come to its end. */
const lateMs: Record<ActionName, number> = {
  wake: 180_000,
  restart: 300_000,
  shutdown: 90_000,
  refresh: 20_000,
  update: 300_000,
  uninstall: 60_000,
}

/** Whether an action has reached what it is for. */
const isReached: Record<ActionName, (outcome: Outcome, device: Seen) => boolean> = {
  wake: (_, { isOnline }) => isOnline,
  restart: ({ phase }, { isOnline }) => phase === 'away' && isOnline,
  shutdown: (_, { isOnline }) => !isOnline,
  refresh: ({ before }, { isOnline, lastSeen }) => isOnline && lastSeen !== before.lastSeen,
  update: ({ before }, { isOnline, agentVersion }) => isOnline && agentVersion !== before.agentVersion,
  uninstall: (_, { isOnline }) => !isOnline,
}

/** The outcome when the device is seen like this; the same object when nothing has changed. */
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
