import { expect, test } from 'vitest'
import { enroll, freshTimestamp } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { addUser } from '../../support/people.ts'
import { useTestServer, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { webhookReceiver } from '../../support/webhook-receiver.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs

test('who is on call is told, then the second while nobody acknowledges, and both when the cause is gone', async () => {
  const clock = manualClock()
  const server = await useTestServer({ settings: { AppOptions__OutgoingNetworks__0: '127.0.0.0/8' }, clock })
  const owner = await server.owner()
  const second = await addUser(server, owner, ['Tenant Administrator', 'Device Superuser'])
  const receivers = [await webhookReceiver(), await webhookReceiver()] as const
  const addTopic = (member: Member, url: string) =>
    member.applianceNotifications.addMethod({
      body: { service: 'ntfy', name: 'Phone', address: url.replace('/hook', '/topic') },
    })
  await addTopic(owner, receivers[0].url)
  await addTopic(second, receivers[1].url)
  const titles = () =>
    receivers.map(({ received }) => received.map(({ body }) => (JSON.parse(body) as { title: string }).title))
  const onCall = { firstUserId: owner.user.id, secondUserId: second.user.id, afterMinutes: 15 }
  await owner.applianceAlerts.setOnCall({ tenantId: owner.tenantId, body: onCall })

  const agent = await enroll(owner)
  const { name } = agent.report()
  const connect = async () => {
    const connection = await agent.open(server.url)
    const report = () =>
      connection.UpdateDeviceSigned(agent.signed(agent.report(), { timestamp: freshTimestamp(clock.now()) }))
    await report()
    return { connection: connection.connection, report }
  }
  clock.advance(secondMs)
  await until(async () => (await owner.applianceAlerts.listRules({ tenantId: owner.tenantId })).items.length > 0)
  const first = await connect()
  await first.connection.stop()
  await until(async () => !(await owner.devices.get({ params: { deviceId: agent.id } })).isOnline)
  const active = async () => (await owner.applianceAlerts.list({ query: {} })).items
  /** Passes single seconds, each as long as a request: a request to a receiver takes less than its limit of ten. */
  const passUntil = (isSo: () => Promise<boolean>) =>
    until(async () => {
      clock.advance(secondMs)
      return isSo()
    })
  const isTold =
    (...counts: number[]) =>
    async () => {
      await active()
      return titles().every((all, index) => all.length === counts[index])
    }
  clock.advance(5 * minuteMs)
  await passUntil(isTold(1, 0))
  clock.advance(15 * minuteMs)
  await passUntil(isTold(1, 1))
  expect(titles()).toEqual([[`${name} is offline`], [`${name} is offline`]])
  const priorities = receivers.map(({ received }) => (JSON.parse(received[0]!.body) as { priority: number }).priority)
  // The second is told with urgency, which passes quiet hours.
  expect(priorities).toEqual([3, 5])
  const [alert] = await active()
  expect(alert!.told.toSorted()).toEqual([owner.user.email, second.user.email].toSorted())

  const again = await connect()
  for (let step = 0; step < 3; step++) {
    clock.advance(10 * secondMs)
    await again.report()
  }
  await passUntil(async () => {
    await again.report()
    return isTold(2, 2)()
  })
  const ends = titles().map((all) => all[1]!)
  expect(ends.every((title) => title.startsWith(`${name} is online again after`))).toBe(true)
}, 60_000)
