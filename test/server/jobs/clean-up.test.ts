import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { expect, test } from 'vitest'
import type { Models } from '../../../server/call/models.ts'
import { enroll, installerKey } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { buildAssignment, buildUser } from '../../support/factories.ts'
import { some } from '../../support/night.ts'
import { useTestServer, Visitor } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

/** A server with a manual clock, and the rows of its tables. */
async function staged(settings: Record<string, string> = {}) {
  const time = manualClock()
  let aheadMs = 0
  const clock = { ...time, now: () => time.now() + aheadMs, set: (ms: number) => void (aheadMs += ms) }
  const server = await useTestServer({ clock, settings })
  const hasRun = (job: string, times: number) =>
    until(() => server.log.lines.filter(({ fields }) => (fields as { job?: string }).job === job).length === times)
  const owner = await server.owner()
  const valuesOf = async (column: string, table: string) =>
    (await server.rows<{ value: unknown }>(`SELECT ${column} AS value FROM ${table} ORDER BY 1`)).map(
      ({ value }) => value,
    )
  /** Stores rows while the server is stopped; all jobs run when it starts again. */
  const store = (work: (models: Models, transaction: Transaction) => Promise<unknown>) =>
    server.whileStopped((database, models) => database.write((transaction) => work(models, transaction)))
  return { server, clock, owner, valuesOf, store, hasRun }
}

test('transient users are deleted after their days without activity, with all their data; others stay', async () => {
  const { server, clock, owner, valuesOf, store, hasRun } = await staged({
    AppOptions__ExternalUserCleanupAfterDays: '2',
  })
  const now = clock.now()
  const { tenantId } = owner
  const seen = (userName: string, lastLogin: number | null, accountType: 'External' | 'Interactive' = 'External') =>
    buildUser({ tenantId, userName, email: userName, lastLogin, accountType })
  const old = seen('ext-old', now - 2 * day - 1)
  const crowd = Array.from({ length: 250 }, (_, index) => seen(`ext-crowd-${index}`, now - 3 * day))
  const users = [
    old,
    ...crowd,
    seen('ext-new', now - 2 * day + hour),
    seen('ext-never', null),
    seen('person', now - 9 * day, 'Interactive'),
  ]
  const right = buildAssignment({
    principalId: old.id,
    permissionName: 'device.read',
    scopeKind: 'Tenant',
    scopeId: tenantId,
  })
  await store(async (models, transaction) => {
    await models.User.bulkCreate(users, { transaction })
    await models.PermissionAssignment.create(right, { transaction })
  })
  const names = () => valuesOf('userName', 'users')
  await hasRun('external users', 2)
  expect(await names()).toEqual(['ada@example.org', 'ext-never', 'ext-new', 'person'])
  expect(await server.rows('SELECT * FROM permission_assignments WHERE principalId = ?', old.id)).toEqual([])
  clock.advance(day)
  await hasRun('external users', 3)
  expect(await names()).toEqual(['ada@example.org', 'ext-never', 'person'])
})

test('the session of a deleted transient user ends', async () => {
  const { server, clock, owner, valuesOf } = await staged({ AppOptions__ExternalUserCleanupAfterDays: '1' })
  const device = await enroll(owner)
  // The job runs a day after the start, when this session has an hour left.
  clock.advance(hour)
  const body = { tenantId: owner.tenantId, deviceId: device.id, userCorrelationId: 'crm-7', expirationMinutes: 24 * 60 }
  const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({ body })
  const visitor = new Visitor(server.url)
  await visitor.fetch(deviceAccessUrl, { redirect: 'manual' })
  const { id } = await visitor.auth.me({})
  await server.changeRow('users', id, `lastLogin = ${clock.now() - 2 * day}`)
  clock.advance(23 * hour)
  await expect.poll(() => valuesOf('userName', 'users')).toEqual(['ada@example.org'])
  await expect.poll(async () => (await visitor.fetch('/api/v1/server-alert')).status).toBe(401)
})

test.each(some(['0', '-1'], 2))('with a limit of %s days transient users are never deleted', async (days) => {
  const { clock, owner, valuesOf, store, hasRun } = await staged({ AppOptions__ExternalUserCleanupAfterDays: days })
  const user = buildUser({ tenantId: owner.tenantId, accountType: 'External', lastLogin: 1 })
  await store((models, transaction) => models.User.create(user, { transaction }))
  await hasRun('external users', 2)
  clock.advance(400 * day)
  await hasRun('external users', 3)
  expect(await valuesOf('id', 'users')).toContain(user.id)
})

test.each(some<Record<string, string>>([{ AppOptions__ServiceAccountCredentialCleanupAfterDays: '2' }, {}], 2))(
  'keys of service accounts that ended are deleted after the days of %j; without a setting never',
  async (settings) => {
    const { clock, owner, valuesOf, store, hasRun } = await staged(settings)
    const account = await owner.tenantServiceAccounts.create({
      params: { tenantId: owner.tenantId },
      body: { name: 'nightly' },
    })
    const now = clock.now()
    const keyOf = (name: string, expiresAt: number | null, revokedAt: number | null) => ({
      id: randomUUID(),
      serviceAccountId: account.id,
      name,
      secretHash: 'x',
      createdAt: 1,
      expiresAt,
      revokedAt,
      lastUsedAt: null,
      madeWith: null,
    })
    const old = now - 2 * day - 1
    const rows = [
      keyOf('expired', old, null),
      keyOf('revoked', null, old),
      keyOf('revoked, would expire', now + day, old),
      keyOf('expired lately', old + hour, null),
      keyOf('works', now + day, null),
      keyOf('works for ever', null, null),
    ]
    await store((models, transaction) => models.ServiceAccountCredential.bulkCreate(rows, { transaction }))
    await hasRun('keys of service accounts', 2)
    const left = ['expired lately', 'works', 'works for ever']
    expect(await valuesOf('name', 'service_account_credentials')).toEqual(
      Object.keys(settings).length === 0 ? rows.map(({ name }) => name).toSorted() : left,
    )
  },
)

test('usages of installer keys are deleted after their days, every 8 hours', async () => {
  const { clock, owner, valuesOf, store, hasRun } = await staged({ AppOptions__AgentInstallerKeyHistoryDays: '3' })
  const key = await installerKey(owner)
  const now = clock.now()
  const usageAt = (timestamp: number) => ({
    id: randomUUID(),
    keyId: key.id,
    deviceId: randomUUID(),
    timestamp,
    remoteIpAddress: '127.0.0.1',
  })
  // More than one batch of old ones.
  const old = Array.from({ length: 2_500 }, (_, index) => usageAt(now - 4 * day - index))
  const times = [now - 3 * day + 7 * hour, now - 1]
  await store((models, transaction) =>
    models.InstallerKeyUsage.bulkCreate([...old, ...times.map(usageAt)], { transaction }),
  )
  const left = () => valuesOf('timestamp', 'installer_key_usages')
  await hasRun('installer key usages', 2)
  expect(await left()).toEqual(times)
  clock.advance(8 * hour)
  await hasRun('installer key usages', 3)
  expect(await left()).toEqual([now - 1])
})

test('a server whose clock is ten years ahead removes nothing because of its age, says so, and follows after a week', async () => {
  const { server, clock, owner, hasRun } = await staged()
  await enroll(owner)
  const start = clock.now()
  const tables = ['audit_events', 'program_events', 'installer_key_usages'] as const
  const left = async () => {
    const times = { audit_events: 'at', program_events: 'at', installer_key_usages: 'timestamp' }
    const rows = tables.map((table) => server.rows(`SELECT 1 FROM ${table} WHERE ${times[table]} <= ?`, `${start}`))
    return (await Promise.all(rows)).map(({ length }) => length > 0)
  }
  const jobs = ['audit log', 'events for programs', 'installer key usages']
  await server.whileStopped(async () => clock.set(3_650 * day))
  await Promise.all(jobs.map((job) => hasRun(job, 2)))
  expect(await left()).toEqual([true, true, true])
  const clockRow = async () => {
    const { checks } = await (await server.signIn()).applianceHealth.report({})
    return checks.find(({ id }) => id === 'clock')
  }
  expect(await clockRow()).toMatchObject({
    state: 'warning',
    summary: expect.stringContaining('3,650 days ahead of the time') as string,
    advice: expect.stringContaining('old data is kept longer') as string,
  })
  clock.advance(6 * day)
  await Promise.all(jobs.map((job) => hasRun(job, 3)))
  expect(await left()).toEqual([true, true, true])
  clock.set(-3_650 * day)
  expect(await clockRow()).toMatchObject({ state: 'ok' })
  clock.set(3_650 * day)
  await server.restart()
  await Promise.all(jobs.map((job) => hasRun(job, 4)))
  clock.advance(8 * day)
  await Promise.all(jobs.map((job) => hasRun(job, 5)))
  expect(await left()).toEqual([false, false, false])
})

test('after an update from an older version, a clock ten years ahead removes nothing either, and short runs add up', async () => {
  const { server, clock, owner, store, hasRun } = await staged()
  await enroll(owner)
  await store(async (models, transaction) => {
    clock.set(3_650 * day)
    await models.ServerState.update({ retentionAt: null }, { where: {}, transaction })
  })
  await hasRun('installer key usages', 2)
  expect(await server.rows('SELECT 1 FROM installer_key_usages')).toHaveLength(1)
  for (const runs of [1, 2]) {
    clock.advance(hour / 2)
    await server.restart()
    const [state] = await server.rows<{ doubtedMs: number }>('SELECT doubtedMs FROM server_state')
    expect(state!.doubtedMs).toBe((runs * hour) / 2)
  }
})

test('the log of rights is deleted after its days, and never without a limit', async () => {
  const { server, clock, valuesOf, store, hasRun } = await staged()
  const start = clock.now()
  const changeAt = (createdAt: number) => ({
    id: randomUUID(),
    actionType: 'test',
    actorPrincipalType: 'system' as const,
    actorPrincipalId: null,
    targetType: 'User',
    targetId: randomUUID(),
    owningTenantId: null,
    ipAddress: null,
    createdAt,
    beforeJson: null,
    afterJson: null,
  })
  const left = () => valuesOf('createdAt', `authorization_change_logs WHERE actionType = 'test'`)
  await store((models, transaction) =>
    models.AuthorizationChangeLog.bulkCreate([changeAt(1), changeAt(start - 30 * day + hour)], { transaction }),
  )
  await hasRun('authorization change logs', 2)
  clock.advance(day)
  await hasRun('authorization change logs', 3)
  expect(await left()).toEqual([1, start - 30 * day + hour])
  server.settings['AppOptions__AuthorizationChangeLogRetentionDays'] = '31'
  await server.restart()
  await hasRun('authorization change logs', 4)
  expect(await left()).toEqual([start - 30 * day + hour])
  clock.advance(day)
  await hasRun('authorization change logs', 5)
  expect(await left()).toEqual([])
})

test('logon tokens are deleted within an hour of their expiration, with their assignments', async () => {
  const { server, clock, owner, valuesOf, hasRun } = await staged()
  const [device, doomed] = [await enroll(owner), await enroll(owner)]
  const create = async (deviceId: string, expirationMinutes: number) => {
    const body = { tenantId: owner.tenantId, deviceId, userId: owner.user.id, expirationMinutes }
    await owner.logonTokens.createForUser({ body })
  }
  await create(device.id, 5)
  await create(device.id, 90)
  await create(doomed.id, 90)
  // The foreign key deletes the token, but not its assignments.
  await server.whileStopped((database) =>
    database.write((transaction) =>
      database.sequelize.query(`DELETE FROM devices WHERE id = '${doomed.id}'`, { transaction }),
    ),
  )
  const state = async () => [
    (await valuesOf('deviceId', 'logon_tokens')).length,
    (await valuesOf('principalId', `permission_assignments WHERE principalKind = 'LogonToken'`)).length,
  ]
  await hasRun('logon tokens', 2)
  expect(await state()).toEqual([2, 4])
  clock.advance(hour)
  await hasRun('logon tokens', 3)
  expect(await state()).toEqual([1, 2])
  clock.advance(hour)
  await hasRun('logon tokens', 4)
  expect(await state()).toEqual([0, 0])
})
