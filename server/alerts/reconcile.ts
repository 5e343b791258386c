import type { App } from '../call/call.ts'
import { settle } from './close-alerts.ts'
import { prepareAlert, type NewSubject } from './prepare-alert.ts'
import type { Rule } from './rule-mirror.ts'

/** Opens what was found and is not open yet, and settles what is open and was not found. */
export async function reconcile(app: App, rule: Rule, found: readonly NewSubject[]): Promise<void> {
  const open = app.activeAlerts.openOf(rule.row.id)
  const names = new Set(found.map(({ subject }) => subject))
  const gone = [...open.keys()].filter((subject) => !names.has(subject))
  const fresh = found.filter(({ subject }) => !open.has(subject))
  if (gone.length > 0) {
    await settle(app, rule.row.id, gone)
  }
  if (fresh.length > 0) {
    const prepared = await prepareAlert(app, rule, fresh)
    await (prepared && app.database.write(prepared))
  }
}
