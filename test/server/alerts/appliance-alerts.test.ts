import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { AlertCondition, AlertRuleRequestDto } from '../../../shared/dtos/alert-rule.ts'
import type { DeviceUpdateRequestDto } from '../../../shared/dtos/device.ts'
import { enroll, freshTimestamp, type AgentConnection, type TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { isNight } from '../../support/night.ts'
import { addUser } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs

const clock = manualClock()
const server = serverForFile({ clock })
const owner = ownerForFile(server)

/** Passes a second again and again, in which the server stores what has begun or ended. */
const passUntil = <T>(read: () => T | Promise<T>) =>
  until(async () => {
    clock.advance(secondMs)
    return read()
  })

beforeAll(async () => {
  await passUntil(async () => (await owner.applianceAlerts.listRules({ tenantId: owner.tenantId })).items.length > 0)
})
// Devices of an earlier test belong to other bursts.
beforeEach(async () => {
  await until(async () => (await owner.applianceHome.fleet({})).online === 0)
  clock.advance(10 * minuteMs)
})

type State = 'active' | 'closed'
const alertsOf = async ({ applianceAlerts }: Member, { id: deviceId }: TestAgent, state: State = 'active') =>
  (await applianceAlerts.list({ query: { deviceId, state } })).items

/** The first alert about a device, once there is one. */
const alertOf = (member: Member, agent: TestAgent) => passUntil(async () => (await alertsOf(member, agent)).at(0))

/** Sends a report, signed at the time of the server. */
async function report(agent: TestAgent, connection: AgentConnection, changes: Partial<DeviceUpdateRequestDto> = {}) {
  const timestamp = freshTimestamp(clock.now())
  const answer = await connection.UpdateDeviceSigned(agent.signed(agent.report(changes), { timestamp }))
  expect(answer).toMatchObject({ isSuccess: true })
}

async function online(agent: TestAgent, changes: Partial<DeviceUpdateRequestDto> = {}) {
  const connection = await agent.open(server.url)
  await report(agent, connection, changes)
  return connection
}

async function cutOff(...devices: (readonly [TestAgent, AgentConnection])[]) {
  await Promise.all(devices.map(([, { connection }]) => connection.stop()))
  for (const [agent] of devices) {
    await until(async () => !(await owner.devices.get({ params: { deviceId: agent.id } })).isOnline)
  }
}

const makeRule = (maker: Member, condition: AlertCondition, changes: Partial<AlertRuleRequestDto> = {}) =>
  maker.applianceAlerts.createRule({
    tenantId: owner.tenantId,
    body: {
      name: condition.kind,
      condition,
      scope: { kind: 'everything', id: null },
      receivers: { kind: 'administrators', userIds: [] },
      isEnabled: true,
      ...changes,
    },
  })

test('a device that is offline for five minutes opens one alert, which is taken up by name and closes by itself', async () => {
  const agent = await enroll(owner)
  await cutOff([agent, await online(agent)])
  clock.advance(4 * minuteMs)
  await owner.applianceAlerts.summary({})
  expect(await alertsOf(owner, agent)).toEqual([])
  const findings = async () => (await owner.applianceHome.fleet({})).findings.map(({ kind }) => kind)
  expect(await findings()).toContain('down')
  clock.advance(minuteMs)
  const alert = await alertOf(owner, agent)
  expect(await findings()).not.toContain('down')
  expect(alert).toMatchObject({
    kind: 'device-offline',
    ruleName: 'Device offline',
    title: `${agent.report().name} is offline`,
    state: 'open',
    told: [owner.user.email],
    isTold: true,
    devices: [{ id: agent.id, goneAt: null }],
    mayAct: true,
    path: `/devices/${agent.id}`,
  })
  const params = { alertId: alert.id }
  const by = { state: 'acknowledged', acknowledgedBy: owner.user.email }
  expect(await owner.applianceAlerts.acknowledge({ params })).toMatchObject(by)
  expect(await owner.applianceAlerts.summary({})).toMatchObject({ open: 0, acknowledged: 1, deviceIds: [agent.id] })

  const snoozed = { state: 'snoozed', snoozedBy: owner.user.email }
  expect(await owner.applianceAlerts.snooze({ params, body: { minutes: 60 } })).toMatchObject(snoozed)
  expect(await owner.applianceAlerts.snooze({ params, body: { minutes: 0 } })).toMatchObject(by)

  const connection = await online(agent)
  await until(async () => {
    clock.advance(10 * secondMs)
    await report(agent, connection)
    return (await alertsOf(owner, agent)).length === 0
  })
  const closed = { id: alert.id, closedBecause: 'gone', goneCount: 1 }
  expect(await alertsOf(owner, agent, 'closed')).toMatchObject([closed])
  const log = await owner.applianceAuditLog.list({ tenantId: owner.tenantId, query: { category: 'alert' } })
  expect(log.items.map(({ kind, actorKind }) => [kind, actorKind])).toEqual([
    ['alert.closed', 'system'],
    ['alert.snoozed', 'user'],
    ['alert.snoozed', 'user'],
    ['alert.acknowledged', 'user'],
    ['alert.opened', 'system'],
  ])
  const events = await owner.applianceEvents.list({ query: { kinds: 'alert' } })
  expect(events.items.map(({ type, subject }) => [type, subject])).toEqual([
    ['alert.opened', agent.id],
    ['alert.acknowledged', agent.id],
    ['alert.closed', agent.id],
  ])
}, 30_000)

test('devices that fail together are one alert, of which a person sees the part that it may see', async () => {
  const { tenantId } = owner
  const agents = await Promise.all([1, 2, 3].map(() => enroll(owner)))
  const customer = await owner.customers.create({ tenantId, body: { name: 'Contoso' } })
  const body = { deviceIds: agents.map(({ id }) => id) }
  await owner.customers.assignDevices({ tenantId, params: { customerId: customer.id }, body })
  const devices = agents.map(async (agent, index) => {
    const connection = await online(agent, { name: `till-${index}`, localIpV4: `10.9.8.${index + 1}` })
    return [agent, connection] as const
  })
  await cutOff(...(await Promise.all(devices)))
  clock.advance(5 * minuteMs)
  const alert = await alertOf(owner, agents[0]!)
  expect(alert).toMatchObject({ title: '3 devices of Contoso went offline within 1 s', deviceCount: 3 })
  expect(alert.lines[0]).toContain('10.9.8.0/24')

  const about = async (query: { ruleId?: string; customerId?: string; state?: State }) =>
    (await owner.applianceAlerts.list({ query })).items.map(({ id }) => id)
  expect(await about({ ruleId: alert.ruleId!, customerId: customer.id })).toEqual([alert.id])
  expect(await about({ ruleId: customer.id })).toEqual([])
  expect(await about({ customerId: customer.id, state: 'closed' })).toEqual([])

  const helper = await addUser(server, owner)
  const params = { alertId: alert.id }
  await expect(helper.applianceAlerts.get({ params })).rejects.toMatchObject({ status: 404 })
  await owner.permissionAssignments.create({
    tenantId,
    body: {
      permissionName: 'device.read',
      scopeKind: 'Device',
      scopeId: agents[2]!.id,
      principalKind: 'User',
      principalId: helper.user.id,
    },
  })
  const part = { title: 'till-2 is offline', deviceCount: 1, mayAct: false }
  expect(await alertsOf(helper, agents[2]!)).toMatchObject([part])
  await expect(helper.applianceAlerts.acknowledge({ params })).rejects.toMatchObject({ status: 403 })
}, 30_000)

test('a device that fails after an alert was acknowledged is an alert of its own', async () => {
  const [first, second] = [await enroll(owner), await enroll(owner)]
  const connections = [await online(first), await online(second)] as const
  await cutOff([first, connections[0]])
  clock.advance(90 * secondMs)
  await cutOff([second, connections[1]])
  clock.advance(210 * secondMs)
  const alert = await alertOf(owner, first)
  expect(alert.deviceCount).toBe(1)
  await owner.applianceAlerts.acknowledge({ params: { alertId: alert.id } })
  clock.advance(80 * secondMs)
  expect(await alertOf(owner, second)).toMatchObject({ state: 'open', deviceCount: 1, told: [owner.user.email] })
}, 30_000)

test('administrators are told of what the person on call may not see', async () => {
  const { tenantId } = owner
  const helper = await addUser(server, owner)
  const onCall = { firstUserId: helper.user.id, secondUserId: null, afterMinutes: 15 }
  await owner.applianceAlerts.setOnCall({ tenantId, body: onCall })
  const agent = await enroll(owner)
  await cutOff([agent, await online(agent)])
  clock.advance(5 * minuteMs)
  expect(await alertOf(owner, agent)).toMatchObject({ told: [owner.user.email] })
  await owner.applianceAlerts.setOnCall({ tenantId, body: { ...onCall, firstUserId: null } })
}, 30_000)

test('whoever watches an offline device is told once when it is back, and nobody else is', async () => {
  const agent = await enroll(owner)
  const params = { deviceId: agent.id }
  const first = await online(agent)
  await expect(owner.applianceAlerts.watch({ params })).rejects.toMatchObject({ status: 409 })
  await cutOff([agent, first])
  const colleague = await addUser(server, owner, ['Tenant Administrator', 'Device Superuser'])
  const viewer = await connectViewer(owner)
  await owner.applianceAlerts.watch({ params })
  await passUntil(() => viewer.alertsChanges.length > 0)
  expect((await owner.applianceAlerts.watches({})).items).toMatchObject([{ deviceId: agent.id }])

  const second = await online(agent)
  const alert = await alertOf(owner, agent)
  expect(alert).toMatchObject({ kind: 'watched', title: `${agent.report().name} is online again` })
  await until(async () => (await owner.applianceAlerts.watches({})).items.length === 0)
  expect(await alertsOf(colleague, agent)).toEqual([])
  const seen = { state: 'closed', closedBecause: 'seen' }
  expect(await owner.applianceAlerts.acknowledge({ params: { alertId: alert.id } })).toMatchObject(seen)
  await cutOff([agent, second])
  await online(agent)
  // A rule about new devices opens its alert after everything that came before.
  const rule = await makeRule(owner, { kind: 'device-new' })
  await alertOf(owner, await enroll(owner))
  expect(await alertsOf(owner, agent)).toEqual([])
  await owner.applianceAlerts.deleteRule({ tenantId: owner.tenantId, params: { ruleId: rule.id } })
}, 30_000)

test('a device that announced its shutdown is not told of, unless the rule asks for it', async () => {
  const agent = await enroll(owner)
  const rule = await makeRule(owner, { kind: 'device-offline', minutes: 1, includesPlanned: true })
  const connection = await online(agent)
  await connection.SendStopNotice('Shutdown')
  await cutOff([agent, connection])
  clock.advance(6 * minuteMs)
  expect(await alertOf(owner, agent)).toMatchObject({ ruleId: rule.id, lines: ['The machine was switched off.'] })
  expect(await alertsOf(owner, agent)).toHaveLength(1)
  await owner.applianceAlerts.deleteRule({ tenantId: owner.tenantId, params: { ruleId: rule.id } })
  expect(await alertsOf(owner, agent, 'closed')).toMatchObject([{ closedBecause: 'rule' }])
}, 30_000)

test('a rule about storage looks at its scope alone, and stops with its maker', async () => {
  const { tenantId } = owner
  const maker = await addUser(server, owner, ['Tenant Administrator', 'Device Superuser'])
  const [inTag, outside] = [await enroll(owner), await enroll(owner)]
  const tag = await owner.tags.create({ tenantId, body: { name: 'till', type: 'Unknown' } })
  await owner.deviceTags.add({ tenantId, body: { deviceId: inTag.id, tagId: tag.id } })
  const scope = { kind: 'tag', id: tag.id } as const
  const rule = await makeRule(maker, { kind: 'device-disk', percent: 90, minutes: 1 }, { scope })
  const connections = [await online(inTag), await online(outside)] as const
  const full = async (seconds: number) => {
    await report(inTag, connections[0], { totalStorage: 100, usedStorage: 96 })
    await report(outside, connections[1], { totalStorage: 100, usedStorage: 96 })
    clock.advance(seconds * secondMs)
  }
  await full(20)
  await full(20)
  await full(20)
  expect(await alertOf(owner, inTag)).toMatchObject({ title: `Storage of ${inTag.report().name} is at 96%` })
  expect(await alertsOf(owner, outside)).toEqual([])
  const body = { name: 'tickets', url: 'https://example.org/', kinds: ['backup' as const], isEnabled: true }
  const webhook = await maker.applianceWebhooks.create({ tenantId, body })
  await owner.appliancePeople.disable({ tenantId, params: { userId: maker.user.id } })
  const { items } = await owner.applianceAlerts.listRules({ tenantId })
  expect(items.find(({ id }) => id === rule.id)).toMatchObject({ mayAct: false, scope: { name: 'till' } })

  const stopped = async (state: State) =>
    (await owner.applianceAlerts.list({ query: { state } })).items.find(({ kind }) => kind === 'maker-gone')
  clock.advance(30 * secondMs)
  const alert = await passUntil(() => stopped('active'))
  expect(alert.title).toBe('2 rules and webhooks have stopped')
  expect(alert.told).toContain(owner.user.email)
  expect(alert.lines).toEqual(['The alert rule device-disk, The webhook tickets'])
  await owner.applianceWebhooks.update({ tenantId, params: { webhookId: webhook.id }, body })
  await owner.applianceAlerts.deleteRule({ tenantId, params: { ruleId: rule.id } })
  clock.advance(30 * secondMs)
  expect(await passUntil(() => stopped('closed'))).toMatchObject({ closedBecause: 'gone' })
}, 30_000)

test('a rule shows the alerts that it would have opened, and names nothing outside of the organization', async () => {
  const { tenantId } = owner
  const agent = await enroll(owner)
  await cutOff([agent, await online(agent)])
  clock.advance(7 * minuteMs)
  const condition = { kind: 'device-offline', minutes: 6, includesPlanned: false } as const
  const body = { condition, scope: { kind: 'device', id: agent.id } } as const
  const preview = await owner.applianceAlerts.previewRule({ tenantId, body })
  expect(preview).toMatchObject({ count: 1, items: [{ devices: 1, title: `${agent.report().name} is offline` }] })

  for (let attempt = 0; attempt < 4; attempt++) {
    await expect(server.signIn({ password: 'wrong' })).rejects.toThrow('was not signed in')
  }
  const ofAll = async (wanted: AlertCondition) => {
    const scoped = { condition: wanted, scope: { kind: 'everything' as const, id: null } }
    return (await owner.applianceAlerts.previewRule({ tenantId, body: scoped })).items.map(({ title }) => title)
  }
  expect(await ofAll({ kind: 'sign-ins-failed', count: 4, minutes: 5 })).toEqual([
    `Many failed sign-ins to ${owner.user.email}`,
  ])
  expect(await ofAll({ kind: 'sign-ins-failed', count: 5, minutes: 5 })).toEqual([])
  expect(await ofAll({ kind: 'maker-gone' })).toEqual(['2 rules and webhooks have stopped'])
  const foreign = { kind: 'customer', id: crypto.randomUUID() } as const
  await expect(makeRule(owner, condition, { scope: foreign })).rejects.toMatchObject({ status: 400 })
  const stranger = { kind: 'people' as const, userIds: [crypto.randomUUID()] }
  await expect(makeRule(owner, condition, { receivers: stranger })).rejects.toMatchObject({ status: 400 })
}, 30_000)

test('whoever changes a rule or who is on call is in the audit log', async () => {
  const { tenantId } = owner
  const rule = await makeRule(owner, { kind: 'right-given' })
  const body = { ...rule, name: 'Rights', scope: { kind: 'everything', id: null }, isEnabled: false } as const
  const params = { ruleId: rule.id }
  expect(await owner.applianceAlerts.updateRule({ tenantId, params, body })).toMatchObject({ name: 'Rights' })
  await owner.applianceAlerts.deleteRule({ tenantId, params })
  const onCall = { firstUserId: owner.user.id, secondUserId: null, afterMinutes: 15 }
  expect(await owner.applianceAlerts.setOnCall({ tenantId, body: onCall })).toMatchObject({
    firstName: owner.user.email,
  })
  const twice = { ...onCall, secondUserId: owner.user.id }
  await expect(owner.applianceAlerts.setOnCall({ tenantId, body: twice })).rejects.toMatchObject({ status: 400 })
  const log = await owner.applianceAuditLog.list({ tenantId, query: { category: 'settings' } })
  expect(log.items.slice(0, 4).map(({ sentence }) => sentence)).toEqual([
    `${owner.user.email} changed who is on call: ${owner.user.email}, then nobody`,
    `${owner.user.email} deleted the alert rule Rights`,
    `${owner.user.email} changed the alert rule Rights`,
    `${owner.user.email} made the alert rule right-given`,
  ])
}, 30_000)

test('a rule of the server does not end with the account of whoever chose its minutes', async () => {
  const { tenantId } = owner
  const { items } = await owner.applianceAlerts.listRules({ tenantId })
  const rule = items.find(({ condition }) => condition.kind === 'device-agent-behind')!
  const condition = { kind: 'device-agent-behind', minutes: 60 } as const
  const change = (scope: AlertRuleRequestDto['scope']) =>
    owner.applianceAlerts.updateRule({ tenantId, params: { ruleId: rule.id }, body: { ...rule, condition, scope } })
  expect(await change({ kind: 'everything', id: null })).toMatchObject({ condition, isDefault: true, madeBy: null })
  const { id } = await enroll(owner)
  expect(await change({ kind: 'device', id })).toMatchObject({ isDefault: false, madeBy: owner.user.email })
}, 30_000)

test('a restart between condition and alert loses nothing and tells nothing twice', async () => {
  const [down, returning] = [await enroll(owner), await enroll(owner)]
  const connection = await online(down)
  await online(returning)
  await cutOff([down, connection])
  clock.advance(2 * minuteMs)
  await server.restart()
  const again = await server.signIn()
  const kept = await online(returning)
  await until(async () => {
    clock.advance(20 * secondMs)
    await report(returning, kept)
    return (await alertsOf(again, down)).length > 0
  })
  await server.restart()
  const later = await server.signIn()
  clock.advance(6 * minuteMs)
  await alertOf(later, returning)
  expect(await alertsOf(later, down)).toHaveLength(1)
  expect(await alertsOf(later, down, 'closed')).toEqual([])
}, 60_000)

test.runIf(isNight)(
  'the preview of a rule takes no device for absent whose history is too long, and says that some is missing',
  async () => {
    const { tenantId } = owner
    const [flapping, away] = await Promise.all([enroll(owner), enroll(owner)])
    const start = clock.now() - 2 * 24 * 60 * minuteMs
    // Away for a second, 10,001 times, and online since.
    const flaps = `WITH RECURSIVE flaps (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM flaps WHERE number < 20001)
    INSERT INTO program_events (at, kind, tenantId, deviceId, subject, data)
    SELECT ${start} + number * ${secondMs}, iif(number % 2, 'device.online', 'device.offline'), ?, ?, ?, '{}' FROM flaps`
    await server.whileStopped((database) =>
      database.write((transaction) =>
        database.sequelize.query(flaps, { replacements: [tenantId, flapping.id, flapping.id], transaction }),
      ),
    )
    const condition = { kind: 'device-offline', minutes: 60, includesPlanned: false } as const
    const by = await server.signIn()
    const preview = (id: string) =>
      by.applianceAlerts.previewRule({ tenantId, body: { condition, scope: { kind: 'device', id } } })
    expect(await preview(flapping.id)).toMatchObject({ count: 0, isComplete: false })
    expect(await preview(away.id)).toMatchObject({ count: 0, isComplete: true })
  },
  30_000,
)
