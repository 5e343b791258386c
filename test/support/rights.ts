import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App, Principal } from '../../server/context.ts'
import { openDatabase } from '../../server/database.ts'
import { createLog } from '../../server/log.ts'
import { migrations } from '../../server/migrations/index.ts'
import type { DeviceState } from '../../server/models/device.ts'
import { bindModels } from '../../server/models/index.ts'
import type { PermissionAssignmentRow } from '../../server/models/permission-assignment.ts'
import { Rules } from '../../server/memory/rules.ts'
import { buildAssignment, buildDevice, buildUser } from './factories.ts'

export type RightsRow = Partial<PermissionAssignmentRow> & Pick<PermissionAssignmentRow, 'principalId'>

/**
 * A database with a user of `tenant-1`, who is in the group `people` and not in `strangers`: as much of a server as rights
 * are read from.
 */
export async function openRights() {
  const directory = await mkdtemp(join(tmpdir(), 'farhand-rights-'))
  const database = await openDatabase({ directory, migrations, appVersion: '1.0.0', log: createLog('silent') })
  const models = bindModels(database.sequelize)
  await database.write(async (transaction) => {
    await models.Tenant.bulkCreate(
      ['tenant-1', 'tenant-2'].map((id) => ({ id, name: id, createdAt: 0 })),
      { transaction },
    )
    await models.User.create(buildUser({ id: 'user', tenantId: 'tenant-1' }), { transaction })
    const group = { tenantId: 'tenant-1', description: null, createdAt: 0 }
    await models.UserGroup.bulkCreate(
      ['people', 'strangers'].map((id) => ({ ...group, id, name: id })),
      { transaction },
    )
    await models.UserGroupMember.create({ groupId: 'people', userId: 'user' }, { transaction })
  })

  /** Leaves exactly these rows; what they do not say is an allow of `device.read` in `tenant-1`. */
  const store = async (rows: readonly RightsRow[]) => {
    const complete = rows.map((row) =>
      buildAssignment({ permissionName: 'device.read', scopeKind: 'Tenant', scopeId: 'tenant-1', ...row }),
    )
    await database.write(async (transaction) => {
      await models.PermissionAssignment.destroy({ where: {}, transaction })
      await models.PermissionAssignment.bulkCreate(complete, { transaction })
    })
  }

  const appWith = async (rows: readonly RightsRow[], devices: readonly DeviceState[] = []): Promise<App> => {
    await store(rows)
    const rules = new Rules(database)
    await rules.load()
    const byId = new Map(devices.map((one) => [one.id, one]))
    return { rules, fleet: { get: (id: string) => byId.get(id) } } as unknown as App
  }

  const close = async () => {
    await database.close()
    await rm(directory, { recursive: true })
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
  credential: { kind: 'BearerToken' },
  isLive: () => true,
}
const key = { kind: 'ServiceAccountCredential', id: 'key' } as const
const token = (mode: 'Restricted' | 'InheritOwner') => ({ kind: 'PersonalAccessToken', id: 'token', mode }) as const

/** One of each kind; the tokens are the user's. */
export const principals = {
  user: someone,
  restrictedToken: { ...someone, credential: token('Restricted') },
  inheritingToken: { ...someone, credential: token('InheritOwner') },
  logonToken: {
    ...someone,
    credential: { kind: 'LogonToken', id: 'logon', deviceId: 'd1', allowedDesktopSessionIds: null, session: null },
  } as unknown as Principal,
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
