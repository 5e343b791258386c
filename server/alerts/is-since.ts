import type { App } from '../call/call.ts'
import type { AlertRuleRow } from './tables.ts'

/**
 * Whether something happened since a rule counts. After the clock was set back, times of before are in the future and are
 * compared with each other; a time of now may be of before or after, and a rule rather tells too much.
 */
export function isSince(
  { clock }: Pick<App, 'clock'>,
  { startedAt }: Pick<AlertRuleRow, 'startedAt'>,
  at: number,
): boolean {
  const now = clock.now()
  return at >= startedAt || (startedAt > now && at <= now)
}
