import type { App } from '../../server/call/call.ts'
import type { DeviceState } from '../../server/fleet/device-state.ts'
import type { PermissionAssignmentRow } from '../../server/rights/tables.ts'
import type { Principal } from '../../server/ground/principal.ts'
import { buildAssignment, buildDevice, buildUser } from './factories.ts'
import { openTestMemory } from './memory.ts'

export type RightsRow = Partial<PermissionAssignmentRow> & Pick<PermissionAssignmentRow, 'principalId'>

/**
 * Opens a database with a user of `tenant-1` who is a member of the group `people`, but not of `strangers`: the part of
 * a server that rights depend on.
 */
export async function openRights() {
  const { memory, database, models, close } = await openTestMemory({
    async fill(tables, transaction) {
      await tables.Tenant.bulkCreate(
        ['tenant-1', 'tenant-2'].map((id) => ({ id, name: id, createdAt: 0 })),
        { transaction },
      )
      // Makes links, and may do everything.
      const maker = { id: 'maker', name: 'maker', tenantId: null, description: null, createdAt: 0 }
      await tables.ServiceAccount.create({ ...maker, isEnabled: true, accessMode: 'Unrestricted' }, { transaction })
      await tables.User.create(buildUser({ id: 'user', tenantId: 'tenant-1' }), { transaction })
      const group = { tenantId: 'tenant-1', description: null, createdAt: 0 }
      await tables.UserGroup.bulkCreate(
        ['people', 'strangers'].map((id) => ({ ...group, id, name: id })),
        { transaction },
      )
      await tables.UserGroupMember.create({ groupId: 'people', userId: 'user' }, { transaction })
    },
  })

  /** Replaces all rows; defaults are an allow of `device.read` in `tenant-1`. */
  const store = async (rows: readonly RightsRow[]) => {
    const complete = rows.map((row) =>
      buildAssignment({ permissionName: 'device.read', scopeKind: 'Tenant', scopeId: 'tenant-1', ...row }),
    )
    await database.write(async (transaction) => {
      await models.PermissionAssignment.destroy({ where: {}, transaction })
      await models.PermissionAssignment.bulkCreate(complete, { transaction })
    })
  }

  /** Builds an app with only the rules and devices that rights depend on. */
  const appWith = async (rows: readonly RightsRow[], devices: readonly DeviceState[] = []): Promise<App> => {
    await store(rows)
    const byId = new Map(devices.map((one) => [one.id, one]))
    const { rules, accounts, serviceAccounts } = memory
    return { rules, accounts, serviceAccounts, fleet: { get: (id: string) => byId.get(id) } } as unknown as App
  }
  return { database, models, store, appWith, close }
}

export const deviceOf = (
  id: string,
  tenantId: string,
  customerId: string | null,
  groupIds: readonly string[],
): DeviceState => ({
  ...buildDevice({ id, tenantId, customerId }),
  customerName: null,
  groupIds: [...groupIds],
  tagIds: [],
  connectionId: '',
})

const someone: Principal = {
  kind: 'User',
  id: 'user',
  tenantId: 'tenant-1',
  name: 'Ada',
  isUnrestricted: false,
  credential: { kind: 'BearerToken', familyId: '' },
  isLive: () => true,
  use: () => true,
}
const key = { kind: 'ServiceAccountCredential', id: 'key' } as const
const token = (mode: 'Restricted' | 'InheritOwner') => ({ kind: 'PersonalAccessToken', id: 'token', mode }) as const

/** Principal of each kind; tokens belong to the user. */
export const principals = {
  user: someone,
  restrictedToken: { ...someone, credential: token('Restricted') },
  inheritingToken: { ...someone, credential: token('InheritOwner') },
  logonToken: {
    ...someone,
    credential: {
      kind: 'LogonToken',
      id: 'logon',
      deviceId: 'd1',
      makerKind: 'ServiceAccount',
      makerId: 'maker',
      allowedDesktopSessionIds: null,
      sessionId: 's',
    },
  },
  tenantAccount: { ...someone, kind: 'ServiceAccount', id: 'tenant-account', credential: key },
  serverAccount: { ...someone, kind: 'ServiceAccount', id: 'server-account', tenantId: null, credential: key },
  unrestricted: {
    ...someone,
    kind: 'ServiceAccount',
    id: 'server-account',
    tenantId: null,
    isUnrestricted: true,
    credential: key,
  },
} satisfies Record<string, Principal>
export type Who = keyof typeof principals
export const everybody = Object.keys(principals) as Who[]
