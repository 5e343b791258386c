import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { alertKinds, type AlertRuleRequestDto } from '../../shared/dtos/alert-rule.ts'
import type { Call } from '../call/call.ts'
import { limitReached, forbidden, invalid, notFound } from '../ground/errors.ts'
import { makerColumns } from '../rights/maker.ts'
import { prepareClose } from './close-alerts.ts'
import { maySeeRule } from './rights.ts'
import type { Rule } from './rule-mirror.ts'
import { checkScope } from './scope.ts'
import type { AlertRuleRow } from './tables.ts'

const maxRules = 100

/** Rules of a tenant that a principal may see, by name. */
export const rulesOf = ({ app, principal }: Call, tenantId: string): Rule[] =>
  app.alertRules
    .ofTenant(tenantId)
    .filter(({ condition }) => maySeeRule(app, principal, condition.kind))
    .toSorted((a, b) => a.row.name.localeCompare(b.row.name, 'en') || (a.row.id < b.row.id ? -1 : 1))

function findRule({ app, principal }: Call, tenantId: string, id: string): Rule {
  const rule = app.alertRules.get(id)
  if (rule?.row.tenantId !== tenantId || !maySeeRule(app, principal, rule.condition.kind)) {
    throw notFound('rule')
  }
  return rule
}

/** Throws 400 for things outside the reach of the caller, and 403 for a condition that the caller may not use. */
async function check(call: Call, tenantId: string, { condition, scope, receivers }: AlertRuleRequestDto) {
  const { app, principal } = call
  if (!maySeeRule(app, principal, condition.kind)) {
    throw forbidden('Rules about the server are made with the permission server.telemetry.read.')
  }
  if (alertKinds.get(condition.kind)!.subject !== 'device' && scope.kind !== 'everything') {
    throw invalid({ scope: ['This condition is not about devices: choose everything.'] })
  }
  if (scope.kind === 'view' && principal.kind !== 'User') {
    throw invalid({ scope: ['Saved views belong to people.'] })
  }
  await checkScope(app, scope, { tenantId, principal })
  if (receivers.userIds.some((id) => app.accounts.get(id)?.tenantId !== tenantId)) {
    throw invalid({ receivers: ['One of them is nobody of this organization.'] })
  }
}

const columnsOf = ({ name, condition, scope, receivers, isEnabled }: AlertRuleRequestDto) => ({
  name,
  condition: JSON.stringify(condition),
  scopeKind: scope.kind,
  scopeId: scope.id,
  receivers: receivers.kind,
  userIds: JSON.stringify(receivers.userIds),
  isEnabled,
})

const target = ({ id, name }: Pick<AlertRuleRow, 'id' | 'name'>) => ({ kind: 'setting', id, name }) as const

export async function createRule(call: Call, tenantId: string, body: AlertRuleRequestDto): Promise<Rule> {
  const { app, actor } = call
  await check(call, tenantId, body)
  const now = app.clock.now()
  const row = {
    id: randomUUID(),
    tenantId,
    ...columnsOf(body),
    ...makerColumns(call.principal),
    createdAt: now,
    startedAt: now,
  }
  await app.database.write(async (transaction) => {
    if ((await app.models.AlertRule.count({ where: { tenantId }, transaction })) >= maxRules) {
      throw limitReached(`An organization has at most ${maxRules} rules. Delete one first.`)
    }
    const afterEventId = await app.events.newestIn(transaction)
    await app.models.AlertRule.create({ ...row, afterEventId }, { transaction })
    const event = { kind: 'settings.alert-rule-created', tenantId, target: target(row) } as const
    await app.audit.recordIn(transaction, actor, [event])
  })
  return findRule(call, tenantId, row.id)
}

/** Closes the alerts of a rule. */
const closeAlerts = (call: Call, transaction: Transaction, { row }: Rule) =>
  prepareClose(call.app, call.app.activeAlerts.ofRule(row.id), 'rule', call.actor)(transaction)

/**
 * Changes a rule; whoever changes it becomes its maker, and with another condition or scope it begins anew. A rule of the
 * server stays one while it looks at the same devices: it does not stop with the administrator who chose its minutes.
 */
export async function updateRule(call: Call, tenantId: string, id: string, body: AlertRuleRequestDto): Promise<Rule> {
  const { app, actor } = call
  const before = findRule(call, tenantId, id)
  await check(call, tenantId, body)
  const columns = columnsOf(body)
  const { condition, scopeKind, scopeId, isEnabled } = before.row
  const isSameScope = scopeKind === columns.scopeKind && scopeId === columns.scopeId
  const isSame = condition === columns.condition && isSameScope && isEnabled === columns.isEnabled
  const isOfServer = before.row.makerId === null && isSameScope
  const changes = {
    ...columns,
    ...(!isOfServer && makerColumns(call.principal)),
  }
  await app.database.write(async (transaction) => {
    const start = { startedAt: app.clock.now(), afterEventId: await app.events.newestIn(transaction) }
    await app.models.AlertRule.update({ ...changes, ...(!isSame && start) }, { where: { id }, transaction })
    if (!isSame) {
      await closeAlerts(call, transaction, before)
    }
    const details = { isEnabled: body.isEnabled }
    const event = {
      kind: 'settings.alert-rule-changed',
      tenantId,
      target: target({ id, name: body.name }),
      details,
    } as const
    await app.audit.recordIn(transaction, actor, [event])
  })
  return findRule(call, tenantId, id)
}

export async function deleteRule(call: Call, tenantId: string, id: string): Promise<void> {
  const { app, actor } = call
  const rule = findRule(call, tenantId, id)
  await app.database.write(async (transaction) => {
    await closeAlerts(call, transaction, rule)
    await app.models.AlertRule.destroy({ where: { id }, transaction })
    const event = { kind: 'settings.alert-rule-deleted', tenantId, target: target(rule.row) } as const
    await app.audit.recordIn(transaction, actor, [event])
  })
}
