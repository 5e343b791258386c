import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { maxConsentPolicies, type ConsentPolicyBody } from '../../shared/api/appliance-consent.ts'
import type { AuditKind } from '../../shared/audit-kinds.ts'
import type { Call } from '../call/call.ts'
import { limitReached, found } from '../ground/errors.ts'
import { findOfTenant } from '../organization/tenant-rows.ts'
import type { ConsentPolicyRow } from './tables.ts'

type PolicyEvent = Extract<AuditKind, `settings.consent-policy-${string}`>

const record = (
  { app, actor }: Call,
  transaction: Transaction,
  kind: PolicyEvent,
  { tenantId, id, name }: Pick<ConsentPolicyRow, 'tenantId' | 'id' | 'name'>,
) => app.audit.recordIn(transaction, actor, [{ kind, tenantId, target: { kind: 'setting', id, name } }])

/** SQL, because each request about files reads the policies: a model takes three times as long. */
const policiesSql = 'SELECT * FROM consent_policies WHERE tenantId = ? ORDER BY name, id'
type StoredPolicy = Omit<ConsentPolicyRow, 'allowsSilence'> & { allowsSilence: number }

/** Policies of a tenant, by name. */
export async function listPolicies({ app }: Call, tenantId: string): Promise<ConsentPolicyRow[]> {
  const rows = await app.database.all<StoredPolicy>(policiesSql, [tenantId])
  return rows.map((row) => ({ ...row, allowsSilence: row.allowsSilence === 1 }))
}

/** Throws 404 for a customer or a tag of another tenant (T41). */
async function checkScope({ app }: Call, tenantId: string, body: ConsentPolicyBody, transaction: Transaction) {
  const { Customer, Tag } = app.models
  const { customerId, tagId } = body
  if (customerId !== null) {
    await findOfTenant(Customer, 'customer', tenantId, customerId, transaction)
  }
  if (tagId !== null) {
    found(await Tag.findOne({ where: { id: tagId, tenantId }, transaction }), 'tag')
  }
}

export async function createPolicy(call: Call, tenantId: string, body: ConsentPolicyBody): Promise<ConsentPolicyRow> {
  const { app } = call
  const row = { id: randomUUID(), tenantId, ...body, createdAt: app.clock.now() }
  await app.database.write(async (transaction) => {
    await checkScope(call, tenantId, body, transaction)
    if ((await app.models.ConsentPolicy.count({ where: { tenantId }, transaction })) >= maxConsentPolicies) {
      throw limitReached(`An organization has at most ${maxConsentPolicies} of these policies. Delete one first.`)
    }
    await app.models.ConsentPolicy.create(row, { transaction })
    await record(call, transaction, 'settings.consent-policy-created', row)
  })
  return row
}

/** Throws 404 for a policy of another tenant. */
export async function updatePolicy(
  call: Call,
  tenantId: string,
  id: string,
  body: ConsentPolicyBody,
): Promise<ConsentPolicyRow> {
  const { app } = call
  return app.database.write(async (transaction) => {
    const row = found(await app.models.ConsentPolicy.findOne({ where: { id, tenantId }, transaction }), 'policy')
    await checkScope(call, tenantId, body, transaction)
    await row.update(body, { transaction })
    const changed = row.get({ plain: true })
    await record(call, transaction, 'settings.consent-policy-changed', changed)
    return changed
  })
}

export async function deletePolicy(call: Call, tenantId: string, id: string): Promise<void> {
  const { app } = call
  await app.database.write(async (transaction) => {
    const row = found(await app.models.ConsentPolicy.findOne({ where: { id, tenantId }, transaction }), 'policy')
    await row.destroy({ transaction })
    await record(call, transaction, 'settings.consent-policy-deleted', row)
  })
}
