import type { App } from '../call/call.ts'
import { noteRule } from './note-device.ts'
import type { LastingRule } from './rule-mirror.ts'

/** Time after a start in which agents reconnect. */
const reconnectMs = 2 * 60_000

/**
 * Compares all devices of a tenant with a rule, once after a start and once after each change of the rule. A device that
 * was offline before the rule was made or changed is not told of.
 */
function lookAtAll(app: App, rule: LastingRule): void {
  const { alertSignals, activeAlerts, clock, fleet } = app
  const { row, lasting, condition } = rule
  for (const device of fleet.all) {
    if (device.tenantId !== row.tenantId) {
      continue
    }
    if (condition.kind !== 'device-offline' || device.connectionId !== '') {
      noteRule(app, rule, device)
    } else if (device.lastSeen >= row.startedAt && !activeAlerts.openOf(row.id).has(device.id)) {
      const dueAt = clock.monotonic() + Math.max(lasting.delayMs, reconnectMs)
      alertSignals.begin(row.id, device.id, { since: device.lastSeen, dueAt })
    }
  }
}

/** Returns a function that looks at the devices for each rule that is new or was changed since the last call. */
export function followRules(app: App): () => void {
  const seen = new Map<string, number>()
  return () => {
    for (const id of seen.keys()) {
      const rule = app.alertRules.get(id)
      if (!rule?.row.isEnabled || rule.row.startedAt !== seen.get(id)) {
        seen.delete(id)
        app.alertSignals.forgetRule(id)
      }
    }
    for (const rule of app.alertRules.enabled()) {
      if (rule.lasting && !seen.has(rule.row.id)) {
        seen.set(rule.row.id, rule.row.startedAt)
        lookAtAll(app, { ...rule, lasting: rule.lasting })
      }
    }
  }
}
