import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Notification } from '../../../server/notifications/notify.ts'
import type { ContactMethodBody } from '../../../shared/dtos/contact-method.ts'
import { enroll } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { startMailServer, type MailServer } from '../../support/mail.ts'
import { notifyAndDie } from '../../support/notify.ts'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { steady, until } from '../../support/until.ts'
import { webhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

/** Half past midnight of Tuesday, June 16, in Berlin. */
const clock = manualClock(Date.UTC(2026, 5, 15, 22, 30))
const minuteMs = 60_000

let mail: MailServer
const server = serverForFile({
  settings: { AppOptions__OutgoingNetworks__0: '127.0.0.0/8', Branding__PublicUrl: 'https://farhand.example.org' },
  clock,
})
const owner = ownerForFile(server)
beforeAll(async () => {
  mail = await startMailServer()
})
afterAll(() => mail.close())

const alertOf = ({ tenantId, user }: Member, changes: Partial<Notification> = {}): Notification => ({
  tenantId,
  userIds: [user.id],
  alertId: randomUUID(),
  kind: 'opened',
  title: 'NAS of Contoso went offline',
  lines: ['It was last seen at 11:58.'],
  path: '/alerts?alert=1',
  ...changes,
})

const topicAt = ({ url }: WebhookReceiver) => url.replace('/hook', '/farhand-alerts')

const add = (member: Member, receiver: WebhookReceiver, body: Partial<ContactMethodBody> = {}) =>
  member.applianceNotifications.addMethod({
    body: { service: 'ntfy', name: 'Phone', address: topicAt(receiver), ...body },
  })

const stateOf = async (member: Member, methodId: string) => {
  const { methods } = await member.applianceNotifications.get({})
  return methods.find(({ id }) => id === methodId)!
}

const titlesAt = ({ received }: WebhookReceiver) =>
  received.map(({ body }) => (JSON.parse(body) as { title: string }).title)

const auditOf = async (member: Member) =>
  (await member.applianceAuditLog.listAll({ query: { kind: 'export.notification' } })).items

test('what was stored before a kill is sent once by the next start, retried with the same id, and audited once', async () => {
  const receiver = await webhookReceiver()
  receiver.statuses = [503]
  const { id } = await add(owner, receiver, { token: 'tk_of_the_topic_which_is_secret' })
  const title = 'NAS of\n\u202eContoso went offline'
  await notifyAndDie(server, clock, [alertOf(owner, { title })])
  await until(async () => (await stateOf(owner, id)).last?.status === 503)
  expect(await stateOf(owner, id)).toMatchObject({ last: { state: 'waiting', waiting: 1, answer: 'seen' } })
  clock.advance(5_000)
  await until(async () => (await stateOf(owner, id)).last?.state === 'delivered')

  const [first, second] = receiver.received
  expect(receiver.received).toHaveLength(2)
  expect(second!.headers['x-notification-id']).toBe(first!.headers['x-notification-id'])
  expect(first!.headers.authorization).toBe('Bearer tk_of_the_topic_which_is_secret')
  expect(JSON.parse(first!.body)).toEqual({
    topic: 'farhand-alerts',
    title: 'NAS of Contoso went offline',
    message: 'It was last seen at 11:58.',
    priority: 3,
    tags: ['warning'],
    click: 'https://farhand.example.org/alerts?alert=1',
  })
  const rows = await auditOf(owner)
  expect(rows).toMatchObject([
    {
      sentence: `The server told ${owner.user.email} of “NAS of Contoso went offline” by ntfy`,
      details: { attempts: 2, status: 200 },
    },
  ])
  const kept = JSON.stringify([await server.rows('SELECT * FROM contact_methods'), await stateOf(owner, id), rows])
  expect([kept.includes('tk_of'), kept.includes('farhand-alerts')]).toEqual([false, false])
  await owner.applianceNotifications.removeMethod({ params: { methodId: id } })
}, 60_000)

test('quiet hours hold back until their end, as one message; urgent ones pass for people who chose that', async () => {
  const receiver = await webhookReceiver()
  const { id } = await add(owner, receiver)
  const quietHours = { timeZone: 'Europe/Berlin', days: [1, 2], from: '22:00', to: '06:00', letsUrgentPass: true }
  await owner.applianceNotifications.choose({ body: { isNativeOn: true, quietHours } })
  expect(await owner.applianceNotifications.get({})).toMatchObject({
    isNativeOn: true,
    quietUntil: '2026-06-16T04:00:00.000Z',
  })
  await notifyAndDie(server, clock, [
    alertOf(owner, { title: 'NAS went offline' }),
    alertOf(owner, { title: 'Domain controller went offline', isUrgent: true }),
    alertOf(owner, { title: 'NAS is back', kind: 'closed' }),
  ])
  await until(() => receiver.received.length === 1)
  expect(titlesAt(receiver)).toEqual(['Domain controller went offline'])
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ priority: 5 })
  await until(async () => (await stateOf(owner, id)).last?.waiting === 2)
  clock.advance(5.5 * 60 * minuteMs)
  await until(() => receiver.received.length === 2)
  expect(titlesAt(receiver)[1]).toMatch(/^2 alerts since Tue/)
  expect(JSON.parse(receiver.received[1]!.body)).toMatchObject({
    message: 'Tue, 00:30 CEST: NAS went offline\nTue, 00:30 CEST: NAS is back',
    click: 'https://farhand.example.org/alerts',
  })
  await owner.applianceNotifications.choose({ body: { isNativeOn: false, quietHours: null } })
  await owner.applianceNotifications.removeMethod({ params: { methodId: id } })
}, 60_000)

test('nobody is told who is disabled, of another organization, or may no longer see the devices (T43)', async () => {
  server.settings.AppOptions__EnablePublicRegistration = 'true'
  await server.restart()
  const blind = await addMember(server, owner.tenantId, [])
  const seeing = await addMember(server, owner.tenantId, ['device.read'])
  const disabled = await addMember(server, owner.tenantId, ['device.read'])
  const stranger = await server.owner({ email: 'eve@example.org', organizationName: 'Others' })
  const device = await enroll(owner)
  const people = [stranger, blind, seeing, disabled]
  const receivers = await Promise.all(people.map(() => webhookReceiver()))
  const methods = await Promise.all(people.map((member, index) => add(member, receivers[index]!)))
  await owner.appliancePeople.disable({ tenantId: owner.tenantId, params: { userId: disabled.user.id } })
  const userIds = people.map(({ user }) => user.id)
  await notifyAndDie(server, clock, [
    alertOf(owner, { userIds, about: { deviceIds: [device.id, randomUUID()] } }),
    alertOf(owner, { userIds, title: 'Rights', about: { permission: 'tenant.permissions.read' } }),
  ])
  await until(() => receivers[2]!.received.length === 1)
  const refusals = async () => (await auditOf(owner)).filter(({ outcome }) => outcome === 'failure')
  await until(async () => (await refusals()).length === 3)
  expect(receivers.map(titlesAt)).toEqual([[], [], ['NAS of Contoso went offline'], []])
  expect((await stateOf(blind, methods[1]!.id)).last).toMatchObject({
    state: 'failed',
    answer: 'The account may no longer see what this is about.',
  })
  expect((await stateOf(stranger, methods[0]!.id)).last).toBeNull()
}, 60_000)

test('mail has a button, both forms, and a link of one click that turns off this mail alone', async () => {
  expect((await owner.applianceNotifications.get({})).methods[0]).toMatchObject({ obstacle: 'no-mail-server' })
  Object.assign(server.settings, mail.settings)
  await server.whileStopped((database, { User }) =>
    database.write((transaction) =>
      User.update({ isEmailConfirmed: true }, { where: { id: owner.user.id }, transaction }),
    ),
  )
  const params = { methodId: owner.user.id }
  expect(await owner.applianceNotifications.testMethod({ params })).toMatchObject({ isDelivered: true, status: null })
  await mail.next(owner.user.email, 'Test message')
  await notifyAndDie(server, clock, [alertOf(owner, { title: '<b>NAS</b> went offline' })])
  const received = await mail.next(owner.user.email, 'went offline')
  expect(received.subject).toBe('<b>NAS</b> went offline')
  const link = 'https://farhand.example.org/alerts?alert=1'
  expect(received.text).toContain(`It was last seen at 11:58.\r\n\r\nOpen in Farhand: ${link}`)
  expect(received.html).toMatch(
    new RegExp(`<a href="${link.replace('?', String.raw`\?`)}" style="[^"]*">Open in Farhand</a>`),
  )
  expect(received.text).toContain('for Analytical Engines.')
  expect(received.header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  const [, unsubscribe] = /^<(https:\/\/farhand\.example\.org\/unsubscribe\?.*)>$/.exec(
    received.header('list-unsubscribe'),
  )!
  expect(received.header('message-id')).toMatch(/^<[-\da-f]{36}@example\.org>$/)

  const { pathname, search } = new URL(unsubscribe!)
  const post = (query: string) =>
    fetch(server.url + pathname + query, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })
  const page = await fetch(server.url + pathname + search, { headers: { accept: 'text/html' } })
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect((await post(search.replace(/proof=./, 'proof=_'))).status).toBe(400)
  expect((await post(search.replace(owner.user.id, randomUUID()))).status).toBe(400)
  expect((await stateOf(owner, owner.user.id)).isOn).toBe(true)
  expect((await post(search)).status).toBe(204)
  expect((await post(search)).status).toBe(204)
  expect((await stateOf(owner, owner.user.id)).isOn).toBe(false)
  const { items } = await owner.applianceAuditLog.listAll({ query: { kind: 'account.mail-unsubscribed' } })
  expect(items).toHaveLength(1)
  await notifyAndDie(server, clock, [alertOf(owner)])
  await steady(() => mail.received.length)
  expect(mail.received).toEqual([])
}, 60_000)

test('a receiver that is down for days gets the newest hundred as one message when it is back', async () => {
  const down = await webhookReceiver()
  await down.close()
  const { id } = await add(owner, down)
  const titles = Array.from({ length: 104 }, (_, index) => `Device ${index} went offline`)
  await notifyAndDie(
    server,
    clock,
    titles.map((title) => alertOf(owner, { title })),
  )
  await until(async () => (await stateOf(owner, id)).last?.answer)
  const { last } = await stateOf(owner, id)
  expect(last).toMatchObject({ waiting: 100, status: null, answer: expect.stringContaining('refused the connection') })
  const up = await webhookReceiver(Number(new URL(down.url).port))
  clock.advance(5_000)
  await until(async () => (await stateOf(owner, id)).last?.state === 'delivered')
  expect(up.received).toHaveLength(1)
  const { title, message } = JSON.parse(up.received[0]!.body) as { title: string; message: string }
  expect(title).toMatch(/^100 alerts since Tue/)
  expect(message.split('\n')).toHaveLength(21)
  expect(message).toMatch(/: Device 4 went offline\n[^]*and 80 more$/)
  const dropped = (await auditOf(owner)).filter(({ details }) =>
    String(details.reason).includes('the oldest were dropped'),
  )
  expect(dropped).toHaveLength(4)

  await up.close()
  await notifyAndDie(server, clock, [alertOf(owner)])
  await until(async () => (await stateOf(owner, id)).last?.attempts === 1)
  // After the ten pauses of a day.
  await server.whileStopped((database, { NotificationDelivery }) =>
    database.write((transaction) =>
      NotificationDelivery.update({ attempts: 10, nextAt: 0 }, { where: { state: 'waiting' }, transaction }),
    ),
  )
  await until(async () => (await stateOf(owner, id)).last?.attempts === 11)
  expect((await stateOf(owner, id)).last).toMatchObject({ state: 'failed', nextAt: null, waiting: 0 })
}, 60_000)
