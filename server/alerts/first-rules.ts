import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { AlertCondition } from '../../shared/dtos/alert-rule.ts'
import { fullDiskPercent } from '../../shared/dtos/device.ts'
import type { App } from '../call/call.ts'
import type { AlertRuleRow } from './tables.ts'

/** Rules that every organization has from the start. */
const firstRules: readonly { name: string; condition: AlertCondition }[] = [
  { name: 'Device offline', condition: { kind: 'device-offline', minutes: 5, includesPlanned: false } },
  { name: 'Storage almost full', condition: { kind: 'device-disk', percent: fullDiskPercent, minutes: 10 } },
  { name: 'Disk full soon', condition: { kind: 'device-disk-forecast', days: 14 } },
  { name: 'Agent not up to date', condition: { kind: 'device-agent-behind', minutes: 24 * 60 } },
  { name: 'Two machines with one identity', condition: { kind: 'device-two-machines' } },
  { name: 'Failed sign-ins', condition: { kind: 'sign-ins-failed', count: 10, minutes: 15 } },
  { name: 'Stopped rules and webhooks', condition: { kind: 'maker-gone' } },
  { name: 'Certificate', condition: { kind: 'server-certificate' } },
  { name: 'Backup', condition: { kind: 'server-backup' } },
  { name: 'Update of the server', condition: { kind: 'server-update' } },
  { name: 'Problem of the server', condition: { kind: 'server-problem' } },
]

const rowOf = (
  tenantId: string,
  { name, condition }: (typeof firstRules)[number],
  start: Pick<AlertRuleRow, 'startedAt' | 'afterEventId'>,
): AlertRuleRow => ({
  id: randomUUID(),
  tenantId,
  name,
  condition: JSON.stringify(condition),
  scopeKind: 'everything',
  scopeId: null,
  receivers: 'on-call',
  userIds: '[]',
  isEnabled: true,
  makerKind: null,
  makerId: null,
  madeWith: null,
  createdAt: start.startedAt,
  ...start,
})

/** Makes the first rules of a tenant that never had any, together with its choice of who is on call. */
export async function makeFirstRules(
  { models, clock, events }: App,
  transaction: Transaction,
  id: string,
): Promise<void> {
  const isThere = (await models.Tenant.count({ where: { id }, transaction })) > 0
  const isMade = (await models.AlertSettings.count({ where: { tenantId: id }, transaction })) > 0
  if (isThere && !isMade) {
    const start = { startedAt: clock.now(), afterEventId: await events.newestIn(transaction) }
    const rows = firstRules.map((rule) => rowOf(id, rule, start))
    await models.AlertSettings.create({ tenantId: id, firstUserId: null, secondUserId: null }, { transaction })
    await models.AlertRule.bulkCreate(rows, { transaction })
  }
}

/** Returns a function that makes the first rules of tenants that are new, until the server stops. */
export function followTenants(app: App, isStopping: () => boolean): () => Promise<void> {
  const { database, tenants } = app
  const known = new Set<string>()
  return async () => {
    const unknown = [...tenants.ids()].filter((id) => !known.has(id))
    if (unknown.length === 0) {
      return
    }
    const fresh = await database.all<{ id: string }>(
      'SELECT id FROM tenants WHERE id NOT IN (SELECT tenantId FROM alert_settings)',
    )
    for (const { id } of fresh) {
      if (isStopping()) {
        return
      }
      await database.write((transaction) => makeFirstRules(app, transaction, id))
    }
    unknown.forEach((id) => known.add(id))
  }
}
