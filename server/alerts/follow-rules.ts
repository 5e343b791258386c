import type { App } from '../call/call.ts'
import { TimeSlice } from '../ground/clock.ts'
import { noteRule } from './note-device.ts'
import type { LastingRule } from './rule-mirror.ts'
import type { AlertRuleRow } from './tables.ts'

/**
 * Returns the ids of devices that connected or disconnected after a rule began. Compares event ids: times are unreliable
 * after the clock was set back.
 */
async function seenSince(
  { database }: App,
  { afterEventId }: AlertRuleRow,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const seen = await database.all<{ id: string }>(
    `SELECT d.value AS id FROM json_each(?) AS d WHERE EXISTS (
       SELECT 1 FROM program_events AS e WHERE e.deviceId = d.value AND e.id > ?
       AND e.kind IN ('device.online', 'device.offline')
     )`,
    [JSON.stringify(ids), afterEventId],
  )
  return new Set(seen.map(({ id }) => id))
}

/** Time after a start in which agents reconnect. */
const reconnectMs = 2 * 60_000

/**
 * Compares all devices of a tenant with a rule, once after a start and once after each change of the rule. A device that
 * was offline before the rule was made or changed is not told of.
 */
async function lookAtAll(app: App, rule: LastingRule, ids: readonly string[], slice: TimeSlice): Promise<void> {
  const { alertSignals, activeAlerts, clock, fleet } = app
  const { row, lasting, condition } = rule
  const isAbsence = condition.kind === 'device-offline'
  const seen = isAbsence ? await seenSince(app, row, ids) : new Set<string>()
  for (const id of ids) {
    if (slice.isOver) {
      await slice.yield()
    }
    // As it is now: others may have reported during a yield.
    const device = fleet.get(id)
    if (!device) {
      continue
    }
    if (!isAbsence || device.connectionId !== '') {
      noteRule(app, rule, device)
    } else if (seen.has(id) && !activeAlerts.openOf(row.id).has(device.id)) {
      const dueAt = clock.monotonic() + Math.max(lasting.delayMs, reconnectMs)
      alertSignals.begin(row.id, device.id, { since: device.lastSeen, dueAt })
    }
  }
}

/** Returns a function that looks at the devices for each rule that is new or was changed since the last call. */
export function followRules(app: App): () => Promise<void> {
  const seen = new Map<string, number>()
  return async () => {
    for (const id of seen.keys()) {
      const rule = app.alertRules.get(id)
      if (!rule?.row.isEnabled || rule.row.startedAt !== seen.get(id)) {
        seen.delete(id)
        app.alertSignals.forgetRule(id)
      }
    }
    const fresh = app.alertRules.enabled().filter(({ row }) => !seen.has(row.id))
    if (fresh.length === 0) {
      return
    }
    const slice = new TimeSlice()
    const byTenant = Map.groupBy(app.fleet.all, ({ tenantId }) => tenantId)
    for (const rule of fresh) {
      const { row, lasting } = rule
      if (lasting) {
        const ids = (byTenant.get(row.tenantId) ?? []).map(({ id }) => id)
        await lookAtAll(app, { ...rule, lasting }, ids, slice)
      }
      seen.set(row.id, row.startedAt)
    }
  }
}
