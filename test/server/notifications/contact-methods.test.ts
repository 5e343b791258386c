import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { endOfHours } from '../../../server/ground/weekly-hours.ts'
import type { ContactMethodBody } from '../../../shared/dtos/contact-method.ts'
import { isNight } from '../../support/night.ts'
import { makeRestrictedToken } from '../../support/restricted-token.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'
import { webhookReceiver } from '../../support/webhook-receiver.ts'

const server = serverForFile({
  settings: { AppOptions__OutgoingNetworks__0: '127.0.0.1/32', Branding__PublicUrl: 'https://farhand.example.org' },
})
const owner = ownerForFile(server)

/** Adds a contact method, tests it, and removes it. */
async function tryMethod(body: Partial<ContactMethodBody> & { service: ContactMethodBody['service'] }) {
  const { applianceNotifications } = owner
  const { id } = await applianceNotifications.addMethod({ body: { name: 'Phone', ...body } })
  const result = await applianceNotifications.testMethod({ params: { methodId: id } })
  await applianceNotifications.removeMethod({ params: { methodId: id } })
  return result
}

const botToken = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'
const open = 'https://farhand.example.org/account#notifications'

test.each([
  [
    'slack',
    {},
    '/services/T0/B0/secret',
    {
      text: 'Test message from Farhand',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Test message from Farhand', emoji: false } },
        { type: 'section', text: { type: 'plain_text', text: 'Alerts reach you here.' } },
        { type: 'section', text: { type: 'mrkdwn', text: `<${open}|Open Farhand>` } },
      ],
      unfurl_links: false,
    },
  ],
  [
    'teams',
    {},
    '/workflows/secret?sig=x',
    {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            body: [{ type: 'TextBlock', text: 'Test message from Farhand' }, { text: 'Alerts reach you here.' }],
            actions: [{ type: 'Action.OpenUrl', title: 'Open Farhand', url: open }],
          },
        },
      ],
    },
  ],
  [
    'discord',
    {},
    '/api/webhooks/1/secret?wait=true',
    {
      embeds: [{ title: 'Test message from Farhand', description: 'Alerts reach you here.', url: open }],
      allowed_mentions: { parse: [] },
    },
  ],
  [
    'telegram',
    { token: botToken, chat: '-1001' },
    `/bot${botToken}/sendMessage`,
    {
      chat_id: '-1001',
      text: `Test message from Farhand\nAlerts reach you here.\n${open}`,
      entities: [{ type: 'bold', offset: 0, length: 25 }],
      link_preview_options: { is_disabled: true },
    },
  ],
] as const)(
  '%s gets the form that it documents, and the test says what came back',
  async (service, more, path, body) => {
    const receiver = await webhookReceiver()
    const { origin } = new URL(receiver.url)
    const address = service === 'telegram' ? origin : origin + path.replace('?wait=true', '')
    expect(await tryMethod({ service, address, ...more })).toMatchObject({
      isDelivered: true,
      status: 200,
      answer: 'seen',
    })
    const [request] = receiver.received
    expect(request!.path).toBe(path)
    expect(JSON.parse(request!.body)).toMatchObject(body)
  },
)

test('a receiver that is wrong, down, closed by the owner or redirects is named by its test, and nothing is followed', async () => {
  const receiver = await webhookReceiver()
  receiver.statuses = [404, 302]
  receiver.location = receiver.url.replace('/hook', '/elsewhere')
  const slack = { service: 'slack', address: receiver.url } as const
  expect(await tryMethod(slack)).toMatchObject({ isDelivered: false, status: 404, answer: 'seen' })
  expect(await tryMethod(slack)).toMatchObject({ isDelivered: false, status: 302 })
  expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook'])
  await receiver.close()
  expect(await tryMethod(slack)).toMatchObject({ status: null, answer: expect.stringContaining('refused') })
  const { items } = await owner.applianceAuditLog.listAll({ query: { kind: 'export.notification' } })
  expect(items[0]).toMatchObject({ outcome: 'failure', actorName: owner.user.email, details: { service: 'slack' } })
  const closed = { service: 'ntfy', address: 'http://127.0.0.2:9/topic' } as const
  expect(await tryMethod(closed)).toMatchObject({ status: null, answer: expect.stringContaining('may not reach') })
})

test.runIf(isNight)(
  'a receiver that accepts and never answers is given up after ten seconds',
  async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as { port: number }
    const answer = await tryMethod({ service: 'discord', address: `http://127.0.0.1:${port}/webhook` })
    expect(answer).toMatchObject({ isDelivered: false, status: null, answer: 'There was no answer within 10 seconds.' })
  },
  30_000,
)

test('targets that cannot be right are rejected, secrets are never shown again, and ten methods are enough', async () => {
  const { applianceNotifications, applianceAuditLog } = owner
  const add = (body: Partial<ContactMethodBody> & { service: ContactMethodBody['service'] }) =>
    applianceNotifications.addMethod({ body: { name: 'Phone', ...body } })
  for (const body of [
    { service: 'ntfy', address: 'https://ntfy.sh/' },
    { service: 'ntfy', address: 'https://ada:secret@ntfy.sh/topic' },
    { service: 'slack', address: 'ftp://example.org/x' },
    { service: 'slack', address: 'https://hooks.slack.com' },
    { service: 'telegram', token: 'none', chat: '1' },
    { service: 'telegram', token: botToken },
  ] as const) {
    await expect(add(body)).rejects.toMatchObject({ status: 400 })
  }
  await add({ service: 'telegram', token: botToken, chat: '@alerts' })
  for (let count = 1; count < 10; count++) {
    await add({ service: 'slack', address: 'https://hooks.slack.com/services/T0/B0/hidden' })
  }
  await expect(add({ service: 'ntfy', address: 'https://ntfy.sh/topic' })).rejects.toMatchObject({ status: 409 })
  const { methods } = await applianceNotifications.get({})
  expect(methods.map(({ target }) => target)).toEqual([
    owner.user.email,
    'api.telegram.org',
    ...Array.from({ length: 9 }, () => 'hooks.slack.com'),
  ])
  const stored = JSON.stringify([
    methods,
    await applianceAuditLog.listAll({ query: {} }),
    await server.rows('SELECT * FROM contact_methods'),
  ])
  expect([stored.includes('ABC-DEF'), stored.includes('hidden')]).toEqual([false, false])
  const elsewhere = await server.signIn()
  const { items } = await elsewhere.applianceNotices.list({})
  expect(items.filter(({ kind }) => kind === 'contact-method-added')).not.toHaveLength(0)

  const { client } = await makeRestrictedToken(owner, ['device.read'])
  await expect(client.applianceNotifications.get({})).rejects.toMatchObject({ status: 403 })
  const other = { params: { methodId: owner.user.id.replace(/^./, (first) => (first === '0' ? '1' : '0')) } }
  await expect(applianceNotifications.testMethod(other)).rejects.toMatchObject({ status: 404 })
  await expect(applianceNotifications.removeMethod({ params: { methodId: owner.user.id } })).rejects.toMatchObject({
    status: 409,
  })
})

describe('quiet hours', () => {
  const nights = { timeZone: 'Europe/Berlin', days: [1, 2, 3, 4, 5, 6, 7], from: '22:00', to: '07:00' }
  const weekend = { timeZone: 'Asia/Kathmandu', days: [6, 7], from: '00:00', to: '00:00' }
  const lunch = { timeZone: 'America/New_York', days: [3], from: '12:00', to: '13:30' }
  test.each([
    ['before', nights, '2026-06-15T19:59:59Z', undefined],
    ['at the first second', nights, '2026-06-15T20:00:00Z', '2026-06-16T05:00:00.000Z'],
    ['after midnight', nights, '2026-06-16T04:59:59Z', '2026-06-16T05:00:00.000Z'],
    ['at the end', nights, '2026-06-16T05:00:00Z', undefined],
    ['over the change to summer time', nights, '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
    ['over the change to winter time', nights, '2026-10-24T22:00:00Z', '2026-10-25T06:00:00.000Z'],
    ['two whole days', weekend, '2026-06-12T18:15:00Z', '2026-06-14T18:15:00.000Z'],
    ['on the day', lunch, '2026-06-17T16:15:00Z', '2026-06-17T17:30:00.000Z'],
    ['on another day', lunch, '2026-06-18T16:15:00Z', undefined],
  ])('%s', (_, hours, at, end) => {
    const until = endOfHours(hours, Date.parse(at))
    expect(until === undefined ? undefined : new Date(until).toISOString()).toBe(end)
  })

  test('a zone that no computer knows, and a whole week, are rejected', async () => {
    const choose = (quietHours: object) =>
      owner.applianceNotifications.choose({
        body: { isNativeOn: false, quietHours: { ...nights, letsUrgentPass: false, ...quietHours } },
      })
    await expect(choose({ timeZone: 'Europe/Nowhere' })).rejects.toMatchObject({ status: 400 })
    await expect(choose({ to: '22:00' })).rejects.toMatchObject({ status: 400 })
  })
})
