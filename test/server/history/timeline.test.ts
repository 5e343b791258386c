import { expect, test } from 'vitest'
import { enroll } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { addMember } from '../../support/people.ts'
import { recordingAgent } from '../../support/recording-agent.ts'
import { useTestServer, type Member, type TestServer } from '../../support/server.ts'
import { callerOf, startSession } from '../../support/session.ts'
import { until } from '../../support/until.ts'

/** Less than the time after which the server ends a silent connection. */
const stepMs = 5_000
/** Test agents sign with the time of the machine. */
const settings = { AppOptions__AgentClockSkewTolerance: '' }

const timelineOf = async (reader: Member, deviceId: string, query = {}) =>
  (await reader.applianceTimeline.ofDevice({ params: { deviceId }, query })).items

const kindsOf = (items: readonly { kind: string }[]) => items.map(({ kind }) => kind)

/** A device that connects, is used, is switched off, and comes back. */
async function tellStory(server: TestServer, owner: Member, clock: ReturnType<typeof manualClock>) {
  const agent = await enroll(owner)
  const deviceId = agent.id
  clock.advance(stepMs)
  const first = await agent.connect(server.url)
  clock.advance(stepMs)
  await owner.devices.setAlias({ params: { deviceId }, body: { alias: 'Reception' } })
  clock.advance(stepMs)
  await first.SendStopNotice('Shutdown')
  await first.connection.stop()
  await until(async () => kindsOf(await timelineOf(owner, deviceId))[0] === 'connection.offline')
  clock.advance(stepMs)
  await agent.connect(server.url)
  await until(async () => kindsOf(await timelineOf(owner, deviceId))[0] === 'connection.online')
  return agent
}

test('the timeline of a device says when it connected, why it went offline, and who did what', async () => {
  const clock = manualClock()
  const server = await useTestServer({ clock, settings })
  const owner = await server.owner()
  const { id: deviceId } = await tellStory(server, owner, clock)

  const items = await timelineOf(owner, deviceId)

  expect(items.map(({ kind, cause }) => [kind, cause])).toEqual([
    ['connection.online', null],
    ['connection.offline', 'shutdown'],
    ['device.alias-changed', null],
    ['connection.online', null],
    ['device.registered', null],
  ])
  expect(items[1]).toMatchObject({
    group: 'connection',
    sentence: 'Reception was switched off',
    actor: null,
    at: new Date(clock.now() - stepMs).toISOString(),
  })
  expect(items[2]).toMatchObject({
    sentence: expect.stringContaining('set the alias'),
    actor: { kind: 'user', id: owner.user.id },
    auditId: expect.any(Number),
  })
  expect(kindsOf(await timelineOf(owner, deviceId, { groups: 'connection' }))).toEqual([
    'connection.online',
    'connection.offline',
    'connection.online',
  ])
  expect(kindsOf(await timelineOf(owner, deviceId, { groups: 'device' }))).toEqual([
    'device.alias-changed',
    'device.registered',
  ])
  await expect(timelineOf(owner, deviceId, { groups: 'weather' })).rejects.toMatchObject({ status: 400 })

  // Page by page, the same entries in the same order.
  const ids: string[] = []
  let next: string | null = null
  do {
    const query: { limit: number; before?: string } = { limit: 2, ...(next !== null && { before: next }) }
    const page = await owner.applianceTimeline.ofDevice({ params: { deviceId }, query })
    ids.push(...page.items.map(({ id }) => id))
    next = page.next
  } while (next !== null)
  expect(ids).toEqual(items.map(({ id }) => id))
})

test('readers of a device see its connections and sessions; files, rights and names of others are for readers of the log', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const reader = await addMember(server, owner.tenantId, ['device.read', 'device.alias.write'])
  owner.cookie = (await server.signIn()).cookie
  const agent = await recordingAgent(owner)
  const deviceId = agent.id
  await startSession(await callerOf(owner), agent)
  await owner.devices.setAlias({ params: { deviceId }, body: { alias: 'Reception' } })
  await owner.permissionAssignments.create({
    tenantId: owner.tenantId,
    body: {
      principalKind: 'User',
      principalId: reader.user.id,
      permissionName: 'device.terminal.use',
      effect: 'Allow',
      scopeKind: 'Device',
      scopeId: deviceId,
    },
  })
  expect(kindsOf(await timelineOf(owner, deviceId)).slice(0, 3)).toEqual([
    'change.permission-assignment-created',
    'device.alias-changed',
    'session.began',
  ])
  const seen = await timelineOf(reader, deviceId)
  expect(kindsOf(seen)).toEqual(['session.began', 'connection.online', 'device.registered'])
  expect(seen[0]).toMatchObject({ actor: { id: owner.user.id }, auditId: null })
  await reader.devices.setAlias({ params: { deviceId }, body: { alias: 'Desk' } })
  expect(kindsOf(await timelineOf(reader, deviceId))[0]).toBe('device.alias-changed')

  const link = await owner.logonTokens.createForExternalUser({
    body: { tenantId: owner.tenantId, deviceId, userCorrelationId: 'guest', permissions: ['device.read'] },
  })
  const guest = server.visitor()
  await guest.fetch(link.deviceAccessUrl, { redirect: 'manual' })
  const path = `/api/appliance/v1/devices/${deviceId}/timeline`
  expect([(await guest.fetch(path)).status, (await server.visitor().fetch(path)).status]).toEqual([403, 401])
})

test('the timeline of a person has what the person did, and what was done to the account', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const member = await addMember(server, tenantId, ['tenant.tags.write'])
  const admin = await server.signIn()
  await member.tags.create({ tenantId, body: { name: 'till' } })
  await admin.appliancePeople.disable({ tenantId, params: { userId: member.user.id } })

  const { items } = await admin.applianceTimeline.ofPerson({ tenantId, params: { userId: member.user.id }, query: {} })

  expect(kindsOf(items)).toEqual(['change.user-disabled', 'settings.tag-created', 'sign-in.password'])
  expect(items[0]).toMatchObject({ actor: { id: owner.user.id }, target: { kind: 'user', id: member.user.id } })
  const other = await addMember(server, tenantId, ['tenant.users.read'])
  const asked = other.applianceTimeline.ofPerson({ tenantId, params: { userId: member.user.id }, query: {} })
  await expect(asked).rejects.toMatchObject({ status: 403 })
})

test('a connection whose end nobody noted ended with the killed server; entries are gone after 90 days', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await enroll(owner)
  await agent.connect(server.url)
  await until(async () => kindsOf(await timelineOf(owner, agent.id))[0] === 'connection.online')
  // As a kill leaves it.
  await server.whileStopped((database) =>
    database.write((transaction) =>
      database.sequelize.query('UPDATE device_connections SET endedAt = NULL, cause = NULL', { transaction }),
    ),
  )
  const [offline, online] = await timelineOf(owner, agent.id)
  expect([offline, online]).toMatchObject([
    { kind: 'connection.offline', cause: 'server-down' },
    { kind: 'connection.online' },
  ])
  await server.whileStopped((database) =>
    database.write((transaction) =>
      database.sequelize.query('UPDATE device_connections SET connectedAt = connectedAt - 7862400000', {
        transaction,
      }),
    ),
  )
  expect(await timelineOf(owner, agent.id, { groups: 'connection' })).toEqual([])
  await until(async () => (await server.rows('SELECT 1 FROM device_connections')).length === 0)
})
