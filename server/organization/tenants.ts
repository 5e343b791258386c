import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { Actor } from '../ground/actor.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import { badRequest, found } from '../ground/errors.ts'
import type { TenantRow } from './tables.ts'
import { keepAnAdministrator } from '../assignments/last-administrator.ts'
import { askProofFor } from '../assignments/recent-proof.ts'
import { removeAssignmentsOfTenant, removeAssignmentsOn } from '../assignments/assignment-cleanup.ts'

async function findTenant({ models }: App, id: string, transaction?: Transaction) {
  return found(await models.Tenant.findByPk(id, { transaction }), 'tenant')
}

export const getTenant = async ({ app }: OpenCall, id: string): Promise<TenantRow> =>
  (await findTenant(app, id)).get({ plain: true })

/** All tenants by name; names need not be unique. */
export const listTenants = ({ app: { database } }: OpenCall): Promise<TenantRow[]> =>
  database.all<TenantRow>('SELECT * FROM tenants ORDER BY name COLLATE NOCASE, id')

const record = (
  { audit }: App,
  actor: Actor,
  transaction: Transaction,
  action: 'created' | 'renamed' | 'deleted',
  { id, name }: TenantRow,
) =>
  audit.recordIn(transaction, actor, [
    { kind: `settings.tenant-${action}`, tenantId: null, target: { kind: 'tenant', id, name } },
  ])

export async function createTenant({ app, actor }: OpenCall, name: string): Promise<TenantRow> {
  const tenant = { id: randomUUID(), name, createdAt: app.clock.now(), secondFactorFrom: null }
  await app.database.write(async (transaction) => {
    await app.models.Tenant.create(tenant, { transaction })
    await record(app, actor, transaction, 'created', tenant)
  })
  app.log.info({ actor, tenantId: tenant.id }, 'A tenant was created.')
  return tenant
}

export const renameTenant = ({ app, actor }: OpenCall, id: string, name: string): Promise<TenantRow> =>
  app.database.write(async (transaction) => {
    const tenant = await findTenant(app, id, transaction)
    await tenant.update({ name }, { transaction })
    await record(app, actor, transaction, 'renamed', tenant)
    return tenant.get({ plain: true })
  })

/** Deletes a tenant with everything in it; closes its sessions and connections. */
export async function deleteTenant(call: Call, id: string): Promise<void> {
  const { app, principal, actor } = call
  if (principal.tenantId === id) {
    throw badRequest('You cannot delete the tenant that you belong to.')
  }
  // Its administrators are deleted with it (T31).
  askProofFor(call, ['server.tenants.delete'])
  await app.database.write(async (transaction) => {
    const tenant = await findTenant(app, id, transaction)
    const users = await app.models.User.findAll({ where: { tenantId: id }, attributes: ['id'], transaction })
    await keepAnAdministrator(
      app,
      transaction,
      users.map((user) => user.id),
    )
    await removeAssignmentsOfTenant(call, transaction, id)
    await removeAssignmentsOn(call, transaction, [id])
    await tenant.destroy({ transaction })
    await record(app, actor, transaction, 'deleted', tenant)
  })
  app.log.info({ actor, tenantId: id }, 'A tenant was deleted.')
}

/** Name of a tenant, for its own people. */
export const nameOfTenant = async ({ app }: OpenCall, id: string): Promise<string> =>
  (await app.models.Tenant.findByPk(id, { rejectOnEmpty: true })).name

/**
 * Name that visitors see: null where the server has several tenants, and for a tenant without a name of its own, which is
 * the address of its first person (T12).
 */
export async function nameOfOnlyTenant({ app }: OpenCall): Promise<string | null> {
  const name = app.tenants.size === 1 ? (await app.models.Tenant.findOne())?.name : undefined
  return name === undefined || name.includes('@') ? null : name
}
