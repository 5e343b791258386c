import { dayMs } from '../../shared/durations.ts'
import type { App, OpenCall } from '../call/call.ts'
import { instant } from '../ground/instant.ts'
import type { ChainCheck } from './verify.ts'

export interface CheckedChain extends ChainCheck {
  checkedAt: number
}

/** Newest check of each server; the next one replaces it. */
const checks = new WeakMap<App, CheckedChain>()

export const newestCheck = ({ app }: OpenCall): CheckedChain | undefined => checks.get(app)

export async function checkChain({ app }: OpenCall): Promise<CheckedChain> {
  const check = { ...(await app.audit.verify()), checkedAt: app.clock.now() }
  if (!check.holds && checks.get(app)?.holds !== false) {
    app.log.warn({ problem: check.problem, rowId: check.rowId }, 'The audit log was changed by another program.')
  }
  checks.set(app, check)
  return check
}

/** Removes events past the retention, then checks the chain. */
export async function keepAuditLog(call: OpenCall): Promise<void> {
  const { audit, retentionClock, config } = call.app
  const days = config.appOptions.auditLogRetentionDays
  if (days > 0) {
    await audit.mark(retentionClock.stored.retentionAt)
    const before = retentionClock.now() - days * dayMs
    const count = await audit.cut(before)
    if (count > 0) {
      const details = { count, before: instant(before) }
      await audit.record(call.actor, { kind: 'server.audit-log-cut', tenantId: null, details })
    }
  }
  await checkChain(call)
}
