import { expect, test } from 'vitest'
import { enroll, freshTimestamp, type TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { useTestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { webhookReceiver } from '../../support/webhook-receiver.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

test('a clock that jumps an hour ahead and a day back tells nothing, loses nothing and tells nothing twice', async () => {
  const passing = manualClock()
  let jumpedMs = 0
  const now = () => passing.now() + jumpedMs
  const server = await useTestServer({
    settings: { AppOptions__OutgoingNetworks__0: '127.0.0.0/8' },
    clock: { ...passing, now },
  })
  const owner = await server.owner()
  const receiver = await webhookReceiver()
  const address = receiver.url.replace('/hook', '/topic')
  await owner.applianceNotifications.addMethod({ body: { service: 'ntfy', name: 'Phone', address } })
  const titles = () => receiver.received.map(({ body }) => (JSON.parse(body) as { title: string }).title)
  const active = async () => (await owner.applianceAlerts.list({ query: {} })).items
  const passUntil = (isSo: () => boolean | Promise<boolean>) =>
    until(async () => {
      passing.advance(secondMs)
      await active()
      return isSo()
    })
  await passUntil(async () => (await owner.applianceAlerts.listRules({ tenantId: owner.tenantId })).items.length > 0)
  const connect = async (agent: TestAgent) => {
    const connection = await agent.open(server.url)
    const report = () =>
      connection.UpdateDeviceSigned(agent.signed(agent.report(), { timestamp: freshTimestamp(now()) }))
    await report()
    return { ...connection, report }
  }
  const cutOff = async (agent: TestAgent, { connection }: Awaited<ReturnType<typeof connect>>) => {
    await connection.stop()
    await until(async () => !(await owner.devices.get({ params: { deviceId: agent.id } })).isOnline)
  }
  const [first, second] = [await enroll(owner), await enroll(owner)]
  const ofFirst = await connect(first)

  // Ahead, while the time of the rule passes.
  await cutOff(first, ofFirst)
  jumpedMs += hourMs
  for (let step = 0; step < 5; step++) {
    passing.advance(secondMs)
    expect(await active()).toEqual([])
  }
  receiver.statuses = [503]
  passing.advance(5 * minuteMs)
  await passUntil(() => titles().length === 1)
  expect(await active()).toMatchObject([{ devices: [{ id: first.id }] }])

  // Back, while the alert is open and its notification waits for another attempt.
  jumpedMs -= 24 * hourMs
  await passUntil(() => titles().length === 2)
  expect(titles()[1]).toBe(titles()[0])
  const ids = receiver.received.map(({ headers }) => headers['x-notification-id'])
  expect(ids[1]).toBe(ids[0])
  await cutOff(second, await connect(second))
  passing.advance(5 * minuteMs)
  await passUntil(async () => (await active()).length === 2)
  const again = await connect(first)
  await passUntil(async () => {
    await again.report()
    return (await active()).length === 1
  })
  await passUntil(() => titles().length === 4)
  expect(titles()[3]).toMatch(/is online again after/)

  // Far back: a snooze of an hour does not become one of a month.
  const [alert] = await active()
  await owner.applianceAlerts.snooze({ params: { alertId: alert!.id }, body: { minutes: 60 } })
  jumpedMs -= 30 * 24 * hourMs
  await passUntil(() => titles().length === 5)
  expect(await active()).toMatchObject([{ id: alert!.id, state: 'open', snoozedUntil: null }])
}, 60_000)

test('after a restart with a clock that was set back, a rule tells of the devices that went away since it was made', async () => {
  const passing = manualClock()
  let jumpedMs = 0
  const now = () => passing.now() + jumpedMs
  const server = await useTestServer({ clock: { ...passing, now } })
  const owner = await server.owner()
  const { tenantId } = owner
  const [before, since] = [await enroll(owner), await enroll(owner)]
  const visit = async (agent: TestAgent) => {
    const { connection, UpdateDeviceSigned } = await agent.open(server.url)
    await UpdateDeviceSigned(agent.signed(agent.report(), { timestamp: freshTimestamp(now()) }))
    await connection.stop()
    await until(async () => !(await owner.devices.get({ params: { deviceId: agent.id } })).isOnline)
  }
  await visit(before)
  passing.advance(8 * hourMs)
  const rule = await owner.applianceAlerts.createRule({
    tenantId,
    body: {
      name: 'Away',
      condition: { kind: 'device-offline', minutes: 1, includesPlanned: true },
      scope: { kind: 'everything', id: null },
      receivers: { kind: 'administrators', userIds: [] },
      isEnabled: true,
    },
  })
  await visit(since)
  // Before the rule was made, and after the first device was seen.
  jumpedMs -= 4 * hourMs
  await server.restart()
  const reader = await server.signIn()
  const told = await until(async () => {
    passing.advance(10 * secondMs)
    const { items } = await reader.applianceAlerts.list({ query: {} })
    return items.filter(({ ruleId }) => ruleId === rule.id)[0]
  })
  expect(told.devices.map(({ id }) => id)).toEqual([since.id])
}, 60_000)
