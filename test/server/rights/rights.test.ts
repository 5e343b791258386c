import { afterAll, describe, expect, test, vi } from 'vitest'
import { permissions, type PermissionName } from '../../../shared/access.ts'
import { deviceRight } from '../../../server/fleet/rights.ts'
import { heldPermissions, holds } from '../../../server/rights/rights.ts'
import { buildRule } from '../../support/factories.ts'
import { deviceOf, everybody, openRights, principals, type RightsRow, type Who } from '../../support/rights.ts'

const { appWith, close, database, models, store } = await openRights()
afterAll(close)

const d1 = deviceOf('d1', 'tenant-1', 'customer-1', ['group-1'])
const foreign = deviceOf('d9', 'tenant-2', null, [])

describe('which rows count', () => {
  test.each<[string, Who, RightsRow[], boolean]>([
    ['a user: its own', 'user', [{ principalId: 'user' }], true],
    ['a user: those of its groups', 'user', [{ principalId: 'people' }], true],
    ['a user: not those of other groups', 'user', [{ principalId: 'strangers' }], false],
    ['a user: not those of its tokens', 'user', [{ principalId: 'token' }], false],
    [
      'a user: a deny of a group beats its own allow',
      'user',
      [{ principalId: 'user' }, { principalId: 'people', effect: 'Deny' }],
      false,
    ],
    ['a user: not a device permission at the server', 'user', [{ principalId: 'user', scopeKind: 'Server' }], false],
    ['a token that inherits: those of its owner', 'inheritingToken', [{ principalId: 'people' }], true],
    [
      'a token that inherits: its own do not matter',
      'inheritingToken',
      [{ principalId: 'user' }, { principalId: 'token', effect: 'Deny' }],
      true,
    ],
    ['a restricted token: its own are not enough', 'restrictedToken', [{ principalId: 'token' }], false],
    ['a restricted token: those of its owner are not enough', 'restrictedToken', [{ principalId: 'user' }], false],
    ['a restricted token: both', 'restrictedToken', [{ principalId: 'token' }, { principalId: 'people' }], true],
    [
      'a restricted token: not where the owner is denied',
      'restrictedToken',
      [
        { principalId: 'token' },
        { principalId: 'user' },
        { principalId: 'people', effect: 'Deny', scopeKind: 'Device', scopeId: 'd1' },
      ],
      false,
    ],
    ['a logon token: not those of its user', 'logonToken', [{ principalId: 'user' }], false],
    ['a logon token: not its own at the tenant', 'logonToken', [{ principalId: 'logon' }], false],
    [
      'a logon token: its own on its device',
      'logonToken',
      [{ principalId: 'logon', scopeKind: 'Device', scopeId: 'd1' }],
      true,
    ],
    ['a tenant account: its own', 'tenantAccount', [{ principalId: 'tenant-account' }], true],
    [
      'a tenant account: not at the server',
      'tenantAccount',
      [{ principalId: 'tenant-account', scopeKind: 'Server' }],
      false,
    ],
    ['a server account: at a tenant', 'serverAccount', [{ principalId: 'server-account' }], true],
    [
      'a server account: at the server',
      'serverAccount',
      [{ principalId: 'server-account', scopeKind: 'Server' }],
      true,
    ],
    ['a server account: none', 'serverAccount', [], false],
    [
      'an unrestricted account: no deny counts',
      'unrestricted',
      [{ principalId: 'server-account', effect: 'Deny', scopeKind: 'Server' }],
      true,
    ],
  ])('%s', async (_, who, rows, expected) => {
    const app = await appWith(
      rows.map((row) => ({ ...row, scopeId: row.scopeKind === 'Server' ? null : (row.scopeId ?? 'tenant-1') })),
    )
    expect(deviceRight(app, principals[who], 'device.read')(d1)).toBe(expected)
  })

  test('for another tenant only rows of a server account count', async () => {
    const rows = ['user', 'people', 'token', 'tenant-account', 'server-account'].map((principalId) => ({
      principalId,
      scopeId: 'tenant-2',
    }))
    const app = await appWith([...rows, { principalId: 'logon', scopeKind: 'Device', scopeId: 'd9' }])
    const reaching = everybody.filter((who) => deviceRight(app, principals[who], 'device.read')(foreign))
    expect(reaching).toEqual(['serverAccount', 'unrestricted'])
  })

  test('for the server only rows of users and server accounts count', async () => {
    const at = { permissionName: 'server.tenants.read', scopeKind: 'Server', scopeId: null } as const
    const ids = ['user', 'token', 'logon', 'tenant-account', 'server-account']
    const app = await appWith(ids.map((principalId) => ({ principalId, ...at })))
    const holding = everybody.filter((who) => holds(app, principals[who], 'server.tenants.read'))
    expect(holding).toEqual(['user', 'restrictedToken', 'inheritingToken', 'serverAccount', 'unrestricted'])
  })

  test('an unknown permission is held by no principal, not even an unrestricted account', async () => {
    const name = 'device.everything' as PermissionName
    const app = await appWith([
      { principalId: 'server-account', permissionName: name, scopeKind: 'Server', scopeId: null },
    ])
    expect(everybody.filter((who) => holds(app, principals[who], name, 'tenant-1'))).toEqual([])
  })
})

describe('a change', () => {
  test('of assignments counts from the next check on', async () => {
    const app = await appWith([{ principalId: 'user' }])
    const may = () => deviceRight(app, principals.user, 'device.read')(d1)
    expect(may()).toBe(true)
    await store([])
    expect(may()).toBe(false)
  })

  test('of the assignments of a group counts for its members', async () => {
    const app = await appWith([{ principalId: 'user' }])
    const may = () => deviceRight(app, principals.user, 'device.read')(d1)
    expect(may()).toBe(true)
    await store([{ principalId: 'user' }, { principalId: 'people', effect: 'Deny' }])
    expect(may()).toBe(false)
  })

  test('of a membership counts from the next check on', async () => {
    const app = await appWith([{ principalId: 'people' }])
    const may = () => deviceRight(app, principals.user, 'device.read')(d1)
    expect(may()).toBe(true)
    const member = { groupId: 'people', userId: 'user' }
    await database.write((transaction) => models.UserGroupMember.destroy({ where: member, transaction }))
    expect(may()).toBe(false)
    await database.write((transaction) => models.UserGroupMember.create(member, { transaction }))
    expect(may()).toBe(true)
  })
})

describe('permissions held somewhere', () => {
  test.each<[string, Who, RightsRow[], PermissionName[]]>([
    ['on one device', 'user', [{ principalId: 'user', scopeKind: 'Device', scopeId: 'd1' }], ['device.read']],
    [
      'in spite of a narrow deny',
      'user',
      [{ principalId: 'user' }, { principalId: 'people', effect: 'Deny', scopeKind: 'Device', scopeId: 'd1' }],
      ['device.read'],
    ],
    ['not with a wide deny', 'user', [{ principalId: 'user' }, { principalId: 'people', effect: 'Deny' }], []],
    ['not in another tenant', 'user', [{ principalId: 'user', scopeId: 'tenant-2' }], []],
    ['not where an allow does not count', 'user', [{ principalId: 'user', scopeKind: 'Server', scopeId: null }], []],
    ['not when disabled', 'user', [{ principalId: 'user', isEnabled: false }], []],
    [
      'by a restricted token: what both hold',
      'restrictedToken',
      [
        { principalId: 'user' },
        { principalId: 'user', permissionName: 'device.delete' },
        { principalId: 'token', permissionName: 'device.delete' },
        { principalId: 'token', permissionName: 'device.logs.read' },
      ],
      ['device.delete'],
    ],
    [
      'by a server account in any tenant',
      'serverAccount',
      [{ principalId: 'server-account', scopeId: 'tenant-2' }],
      ['device.read'],
    ],
    ['by an unrestricted account: all', 'unrestricted', [], [...permissions.keys()]],
  ])('%s', async (_, who, rows, expected) => {
    expect(heldPermissions(await appWith(rows), principals[who])).toEqual(expected)
  })

  test('are found in one reading of the rows', async () => {
    const app = await appWith([])
    const readName = vi.fn<() => PermissionName>(() => 'device.read')
    const row = Object.defineProperty({ ...buildRule(), id: 'row' }, 'permissionName', { get: readName })
    vi.spyOn(app.rules, 'of').mockReturnValueOnce([row])
    expect(heldPermissions(app, principals.tenantAccount)).toEqual(['device.read'])
    expect(readName).toHaveBeenCalledTimes(1)
  })
})
