import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { App, Context, Principal } from '../../context.ts'
import { badRequest, notFound } from '../../errors.ts'
import type { TenantRow } from '../../models/tenant.ts'
import { keepAnAdministrator } from '../rights/last-administrator.ts'
import { actorOf } from '../rights/authorization-log.ts'
import { removeAssignmentsOfTenant, removeAssignmentsOn } from '../rights/assignment-cleanup.ts'
import { endUsers } from '../people/user-administration.ts'

async function findTenant({ models }: App, id: string, transaction?: Transaction) {
  const tenant = await models.Tenant.findByPk(id, { ...(transaction && { transaction }) })
  if (!tenant) {
    throw notFound('tenant')
  }
  return tenant
}

export const getTenant = async (app: App, id: string): Promise<TenantRow> =>
  (await findTenant(app, id)).get({ plain: true })

/** Every tenant by name; names need not differ. */
export const listTenants = ({ database }: App): Promise<TenantRow[]> =>
  database.all<TenantRow>('SELECT * FROM tenants ORDER BY name COLLATE NOCASE, id')

export async function createTenant(app: App, name: string): Promise<TenantRow> {
  const tenant = { id: randomUUID(), name, createdAt: app.clock.now() }
  await app.database.write((transaction) => app.models.Tenant.create(tenant, { transaction }))
  app.log.info({ tenantId: tenant.id }, 'A tenant was created.')
  return tenant
}

export const renameTenant = (app: App, id: string, name: string): Promise<TenantRow> =>
  app.database.write(async (transaction) => {
    const tenant = await findTenant(app, id, transaction)
    await tenant.update({ name }, { transaction })
    return tenant.get({ plain: true })
  })

/** Devices of a tenant that was deleted: memory follows, and their agents are cut off. */
function forgetDevices(app: App, tenantId: string) {
  for (const { id, connectionId } of [...app.fleet.all()].filter((device) => device.tenantId === tenantId)) {
    app.fleet.remove(id)
    if (connectionId !== '') {
      app.hubs.agent.disconnect(connectionId)
    }
  }
}

/** Deletes a tenant with everything in it; whoever is signed in or connected there is cut off. */
export async function deleteTenant(context: Context, principal: Principal, id: string): Promise<void> {
  const { app } = context
  if (principal.tenantId === id) {
    throw badRequest('You cannot delete the tenant that you belong to.')
  }
  const { User, ServiceAccount } = app.models
  const { userIds, accountIds, principals } = await app.database.write(async (transaction) => {
    const tenant = await findTenant(app, id, transaction)
    const members = { where: { tenantId: id }, attributes: ['id'], transaction }
    const users = (await User.findAll(members)).map((row) => row.id)
    const accounts = (await ServiceAccount.findAll(members)).map((row) => row.id)
    await keepAnAdministrator(app, transaction, users)
    const affected = [
      ...(await removeAssignmentsOfTenant(app, transaction, id, actorOf(context))),
      ...(await removeAssignmentsOn(app, transaction, [id], actorOf(context))),
    ]
    await tenant.destroy({ transaction })
    return { userIds: users, accountIds: accounts, principals: affected }
  })
  forgetDevices(app, id)
  await app.apiKeys.refresh(accountIds)
  await endUsers(app, userIds, principals)
  app.hubs.viewer.disconnect(({ tenantId }) => tenantId === id)
  app.log.info({ tenantId: id, byId: principal.id }, 'A tenant was deleted.')
}
