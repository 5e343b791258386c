import type { Transaction } from 'sequelize'
import type { PrincipalKind, ScopeKind } from '../../shared/access.ts'
import type { App } from '../call/call.ts'
import { deviceResource } from '../fleet/rights.ts'
import type { Holder, Resource } from '../rights/evaluate.ts'

/** Receiver of assignments, with the facts that validation needs. */
export interface Receiver {
  kind: PrincipalKind
  id: string
  holder: Holder
  /** Owner of a token, whose rights limit the token's. */
  ownerId: string | null
  deviceId: string | null
  /** False for a disabled service account. */
  isEnabled: boolean
}

/** Finds a receiver in a tenant; server service accounts belong to every tenant. */
export async function findReceiver(
  { models }: App,
  tenantId: string,
  kind: PrincipalKind,
  id: string,
  transaction?: Transaction,
): Promise<Receiver | undefined> {
  const common = { kind, id, ownerId: null, deviceId: null, isEnabled: true, holder: 'User' } as const
  switch (kind) {
    case 'User':
      return (await models.User.findOne({ where: { id, tenantId }, transaction })) ? common : undefined
    case 'UserGroup':
      return (await models.UserGroup.findOne({ where: { id, tenantId }, transaction })) ? common : undefined
    case 'ServiceAccount': {
      const account = await models.ServiceAccount.findByPk(id, { transaction })
      if (!account || (account.tenantId !== null && account.tenantId !== tenantId)) {
        return undefined
      }
      const holder = account.tenantId === null ? 'ServerServiceAccount' : 'TenantServiceAccount'
      return { ...common, holder, isEnabled: account.isEnabled }
    }
    case 'PersonalAccessToken': {
      const token = await models.PersonalAccessToken.findByPk(id, { transaction })
      const owner = token && (await models.User.findOne({ where: { id: token.userId, tenantId }, transaction }))
      return owner ? { ...common, ownerId: owner.id } : undefined
    }
    case 'LogonToken': {
      const token = await models.LogonToken.findOne({ where: { id, tenantId }, transaction })
      return token ? { ...common, holder: 'LogonToken', ownerId: token.userId, deviceId: token.deviceId } : undefined
    }
  }
}

interface Scope {
  scopeKind: ScopeKind
  scopeId: string | null
}

const modelNames = {
  CustomerTenant: 'Customer',
  DeviceGroup: 'DeviceGroup',
  Device: 'Device',
  UserGroup: 'UserGroup',
} as const

/**
 * Loads the entities that some scopes name and that belong to the tenant. The returned function maps a scope to its
 * entity.
 */
export async function findResources(
  { models, fleet }: App,
  tenantId: string,
  scopes: readonly Scope[],
  transaction?: Transaction,
): Promise<(scope: Scope) => Resource | undefined> {
  const found = new Set<string>()
  for (const [kind, modelName] of Object.entries(modelNames)) {
    const ids = [...new Set(scopes.flatMap(({ scopeKind, scopeId }) => (scopeKind === kind ? (scopeId ?? []) : [])))]
    if (ids.length > 0) {
      const where = { id: ids, tenantId }
      // Rows differ between these models, but only the id is read here.
      const rows = await (models[modelName] as typeof models.Customer).findAll({
        where,
        attributes: ['id'],
        transaction,
      })
      rows.forEach(({ id }) => found.add(`${kind} ${id}`))
    }
  }
  return ({ scopeKind, scopeId }) => {
    switch (scopeKind) {
      case 'Server':
        return { kind: 'Server' }
      case 'Tenant':
        return { kind: 'Tenant', tenantId }
      default: {
        if (scopeId === null || !found.has(`${scopeKind} ${scopeId}`)) {
          return undefined
        }
        if (scopeKind !== 'Device') {
          return { kind: scopeKind, id: scopeId, tenantId }
        }
        const device = fleet.get(scopeId)
        return device && deviceResource(device)
      }
    }
  }
}
