import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readKey } from '../../../server/credentials/key-format.ts'
import { enroll, type TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { addMember } from '../../support/people.ts'
import { startTestServer, type Member, type TestServer } from '../../support/server.ts'

const clock = manualClock()
let server: TestServer
let owner: Member
let stranger: Member
let device: TestAgent
let foreignDevice: TestAgent

beforeAll(async () => {
  const settings = {
    AppOptions__EnablePublicRegistration: 'true',
    AppOptions__LocalUserDomain: 'people.example',
    Branding__PublicUrl: 'https://farhand.example',
  }
  server = await startTestServer({ settings, clock })
  owner = await server.owner()
  stranger = await server.owner({ email: 'grace@example.org' })
  device = await enroll(owner)
  foreignDevice = await enroll(stranger)
})
afterAll(() => server.stop())

const target = () => ({ tenantId: owner.tenantId, deviceId: device.id })

const external = (changes: object = {}) =>
  owner.logonTokens.createForExternalUser({ body: { ...target(), userCorrelationId: 'crm-7', ...changes } })

const forUser = (changes: object = {}) =>
  owner.logonTokens.createForUser({ body: { ...target(), userId: owner.user.id, ...changes } })

const stored = <Row>(sql: string, ...params: string[]) => server.rows<Row>(sql, ...params)

const idOf = ({ token }: { token: string }) => readKey(token)!.id

describe('a new link', () => {
  test('opens the device, is valid for 15 minutes and starts with the configured address', async () => {
    const { deviceAccessUrl, expiresAt, token } = await external()
    expect(deviceAccessUrl).toBe(`https://farhand.example/device-access?deviceId=${device.id}&logonToken=${token}`)
    expect(Date.parse(expiresAt)).toBe(clock.now() + 15 * 60_000)
    expect(token).toMatch(/^[0-9A-F]{32}:[\w-]{86}$/)
    expect(new URL(deviceAccessUrl).searchParams.get('logonToken')).toBe(token)
  })

  test('is valid as long as requested, from a minute to a day', async () => {
    for (const expirationMinutes of [1, 1440]) {
      const { expiresAt } = await forUser({ expirationMinutes })
      expect(Date.parse(expiresAt)).toBe(clock.now() + expirationMinutes * 60_000)
    }
  })

  test('is stored as a hash with its permissions, and is logged', async () => {
    const token = await external({
      permissions: ['device.read', 'device.terminal.use', 'device.read'],
      allowedDesktopSessionIds: [1, 7],
      sessionCorrelationId: 'ticket-99',
    })
    const id = idOf(token)
    const [row] = await stored<Record<string, unknown>>('SELECT * FROM logon_tokens WHERE id = ?', id)
    expect(row).toMatchObject({
      tenantId: owner.tenantId,
      deviceId: device.id,
      sessionCorrelationId: 'ticket-99',
      allowedDesktopSessionIds: '[1,7]',
      consumedAt: null,
    })
    expect(JSON.stringify(row)).not.toContain(readKey(token.token)!.secret)
    const grants = await stored(
      `SELECT permissionName, principalKind, effect, scopeKind, scopeId, owningTenantId FROM permission_assignments
       WHERE principalId = ? ORDER BY permissionName`,
      id,
    )
    const common = {
      principalKind: 'LogonToken',
      effect: 'Allow',
      scopeKind: 'Device',
      scopeId: device.id,
      owningTenantId: owner.tenantId,
    }
    expect(grants).toEqual([
      { permissionName: 'device.read', ...common },
      { permissionName: 'device.terminal.use', ...common },
    ])
    const [change] = await stored<{ actorPrincipalId: string; actionType: string; afterJson: string }>(
      'SELECT * FROM authorization_change_logs WHERE targetId = ?',
      id,
    )
    expect(change).toMatchObject({ actorPrincipalId: owner.user.id, actionType: 'credential-scope-set' })
    expect(JSON.parse(change!.afterJson)).toMatchObject({
      deviceId: device.id,
      permissions: ['device.read', 'device.terminal.use'],
    })
    expect(change!.afterJson).not.toContain('secret')
  })

  test('permits reading the device when no permission is requested', async () => {
    const grants = await stored<{ permissionName: string }>(
      'SELECT permissionName FROM permission_assignments WHERE principalId = ? ORDER BY permissionName',
      idOf(await external()),
    )
    expect(grants.map(({ permissionName }) => permissionName)).toEqual(['device.overview.read', 'device.read'])
  })
})

describe('the user for an id of another system', () => {
  const usersOf = (correlationId: string) =>
    stored<Record<string, unknown>>('SELECT * FROM users WHERE userName = ?', `ext-${correlationId}`)

  test('is created once for each tenant, without password and rights', async () => {
    clock.advance(1_000)
    const userCorrelationId = '  Kim of CRM '
    await external({ userCorrelationId })
    const again = { tenantId: stranger.tenantId, deviceId: foreignDevice.id, userCorrelationId }
    await stranger.logonTokens.createForExternalUser({ body: again })
    clock.advance(60_000)
    await external({ userCorrelationId })
    const users = await usersOf('Kim of CRM')
    expect(users).toHaveLength(2)
    const mine = users.find(({ tenantId }) => tenantId === owner.tenantId)
    expect(mine).toMatchObject({
      accountType: 'External',
      email: 'ext-Kim of CRM@people.example',
      passwordHash: null,
      lastLogin: clock.now(),
    })
    expect(await stored('SELECT * FROM permission_assignments WHERE principalId = ?', String(mine!['id']))).toEqual([])
  })

  test('has the name that was sent last; an invalid name is ignored', async () => {
    const userCorrelationId = 'named'
    for (const userDisplayName of ['Kim', 'Kim Ångström-2', '<b>Kim</b>', '', null]) {
      await external({ userCorrelationId, userDisplayName })
    }
    const [user] = await usersOf(userCorrelationId)
    const names = await stored('SELECT name, value FROM user_preferences WHERE userId = ?', String(user!['id']))
    expect(names).toEqual([{ name: 'user-display-name', value: 'Kim Ångström-2' }])
  })

  test('is never an existing user of the same name', async () => {
    await server.write((models, transaction) =>
      models.User.update({ userName: 'ext-boss' }, { where: { id: owner.user.id }, transaction }),
    )
    await expect(external({ userCorrelationId: 'BOSS' })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { userCorrelationId: [expect.any(String)] } },
    })
  })
})

describe('refused', () => {
  const statusOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: { status: number; problem?: { errors?: object } }) => [
        error.status,
        ...Object.keys(error.problem?.errors ?? {}),
      ],
    )

  test.each([
    [{ expirationMinutes: 0 }, 'expirationMinutes'],
    [{ expirationMinutes: 1441 }, 'expirationMinutes'],
    [{ expirationMinutes: 1.5 }, 'expirationMinutes'],
    [{ userCorrelationId: undefined }, 'userCorrelationId'],
    [{ userCorrelationId: '   ' }, 'userCorrelationId'],
    [{ userCorrelationId: 'x'.repeat(253) }, 'userCorrelationId'],
    [{ userDisplayName: 'x'.repeat(51) }, 'userDisplayName'],
    [{ sessionCorrelationId: 'x'.repeat(129) }, 'sessionCorrelationId'],
    [{ permissions: ['device.fly'] }, 'permissions.0'],
    [{ permissions: ['tenant.users.write'] }, 'permissions.0'],
    [{ permissions: [] }, 'permissions'],
    [{ permissions: Array.from({ length: 101 }, () => 'device.read') }, 'permissions'],
    [{ allowedDesktopSessionIds: ['one'] }, 'allowedDesktopSessionIds.0'],
    [{ allowedDesktopSessionIds: [] }, 'allowedDesktopSessionIds'],
    [{ allowedDesktopSessionIds: Array.from({ length: 33 }, (_, id) => id) }, 'allowedDesktopSessionIds'],
  ])('%j', async (changes, field) => {
    expect(await statusOf(external(changes))).toEqual([400, field])
  })

  test('values of the greatest length are accepted', async () => {
    const changes = {
      userCorrelationId: 'x'.repeat(252),
      userDisplayName: 'x'.repeat(50),
      sessionCorrelationId: 'x'.repeat(128),
      permissions: Array.from({ length: 100 }, () => 'device.read'),
      allowedDesktopSessionIds: Array.from({ length: 32 }, (_, id) => id),
    }
    expect(await statusOf(external(changes))).toBe('done')
  })

  test('a device that is unknown, or of another tenant', async () => {
    for (const deviceId of [randomUUID(), foreignDevice.id]) {
      expect(await statusOf(external({ deviceId }))).toEqual([400])
      expect(await statusOf(forUser({ deviceId }))).toEqual([400])
    }
    expect(await statusOf(external({ tenantId: stranger.tenantId }))).toEqual([403])
    expect(await statusOf(external({ tenantId: undefined }))).toEqual([400, 'tenantId'])
  })

  test('a user that is unknown, or of another tenant', async () => {
    for (const userId of [randomUUID(), stranger.user.id]) {
      expect(await statusOf(forUser({ userId }))).toEqual([404])
    }
    expect(await statusOf(forUser({ userId: undefined }))).toEqual([400, 'userId'])
  })

  test('a device of the tenant that the principal may not see', async () => {
    const outsider = await addMember(server, owner.tenantId, ['device.logon-token.create'])
    const body = { ...target(), userCorrelationId: 'crm-8' }
    expect(await statusOf(outsider.logonTokens.createForExternalUser({ body }))).toEqual([404])
    const { deviceId } = body
    expect(await statusOf(outsider.internalLogonTokens.create({ body: { deviceId } }))).toEqual([404])
  })

  test('a principal without the permission, and permissions that it does not hold', async () => {
    const onDevice = { scopeKind: 'Device', scopeId: device.id } as const
    const reader = await addMember(server, owner.tenantId, [{ permissionName: 'device.read', ...onDevice }])
    const helper = await addMember(server, owner.tenantId, [
      { permissionName: 'device.read', ...onDevice },
      { permissionName: 'device.logon-token.create', ...onDevice },
    ])
    const body = { ...target(), userCorrelationId: 'crm-8' }
    expect(await statusOf(reader.logonTokens.createForExternalUser({ body }))).toEqual([403])
    const permissions: 'device.terminal.use'[] = ['device.terminal.use']
    const greedy = helper.logonTokens.createForExternalUser({ body: { ...body, permissions } })
    await expect(greedy).rejects.toThrow('device.terminal.use: you do not hold it')
    const { token } = await helper.logonTokens.createForExternalUser({ body })
    const grants = await stored<{ permissionName: string }>(
      'SELECT permissionName FROM permission_assignments WHERE principalId = ?',
      idOf({ token }),
    )
    // Viewing a device takes two permissions, of which this helper holds one.
    expect(grants.map(({ permissionName }) => permissionName)).toEqual(['device.read'])
  })
})

test('the deprecated route creates a link for the principal itself', async () => {
  const { token, expiresAt } = await owner.internalLogonTokens.create({
    body: { deviceId: device.id, expirationMinutes: 5 },
  })
  expect(Date.parse(expiresAt)).toBe(clock.now() + 5 * 60_000)
  const [row] = await stored<{ userId: string }>('SELECT userId FROM logon_tokens WHERE id = ?', idOf({ token }))
  expect(row?.userId).toBe(owner.user.id)
  await expect(owner.internalLogonTokens.create({ body: { deviceId: foreignDevice.id } })).rejects.toMatchObject({
    status: 400,
  })
})
