import type { App } from '../call/call.ts'
import type { AlertRuleRow } from './tables.ts'

/** Time from which a rule counts. A rule of a time before the clock was set back looks at everything. */
export const startOf = ({ clock }: App, { startedAt }: AlertRuleRow): number =>
  startedAt > clock.now() ? 0 : startedAt
