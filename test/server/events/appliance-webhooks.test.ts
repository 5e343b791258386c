import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { enroll } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { isNight, some } from '../../support/night.ts'
import { addMember } from '../../support/people.ts'
import { makeRestrictedToken } from '../../support/restricted-token.ts'
import { useTestServer, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { isSignedWith, webhookReceiver } from '../../support/webhook-receiver.ts'

const settings = { AppOptions__OutgoingNetworks__0: '127.0.0.0/8' }

const make = (maker: Member, url: string, kinds: ('device' | 'backup')[] | null = ['device']) =>
  maker.applianceWebhooks.create({
    tenantId: maker.tenantId,
    body: { name: 'ticket system', url, kinds, isEnabled: true },
  })

const deliveriesOf = async ({ applianceWebhooks, tenantId }: Member, webhookId: string) =>
  (await applianceWebhooks.deliveries({ tenantId, params: { webhookId } })).items

test('an event is sent signed, retried with the same id until it is taken, and logged once', async () => {
  const clock = manualClock()
  const server = await useTestServer({ settings, clock })
  const owner = await server.owner()
  const receiver = await webhookReceiver()
  receiver.statuses = [500]
  const { id, secret } = await make(owner, receiver.url)
  const agent = await enroll(owner)
  await until(async () => (await deliveriesOf(owner, id))[0]?.status === 500)
  clock.advance(5_000)
  await until(async () => (await deliveriesOf(owner, id))[0]?.state === 'delivered')

  const [first, second] = receiver.received
  expect(receiver.received).toHaveLength(2)
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
  expect(receiver.received.map((request) => isSignedWith(secret, request))).toEqual([true, true])
  expect(isSignedWith(secret, { ...first!, body: `${first!.body} ` })).toBe(false)
  expect(JSON.parse(first!.body)).toMatchObject({ type: 'device.registered', subject: agent.id, specversion: '1.0' })
  const log = await owner.applianceAuditLog.listAll({ query: { kind: 'export.webhook-delivery' } })
  expect(log.items).toMatchObject([
    { sentence: `${owner.user.email} sent device.registered to the webhook ticket system`, details: { attempts: 2 } },
  ])

  const [delivery] = await deliveriesOf(owner, id)
  const params = { webhookId: id, deliveryId: delivery!.id }
  await owner.applianceWebhooks.resend({ tenantId: owner.tenantId, params })
  await until(() => receiver.received.length === 3)
  expect(receiver.received[2]!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
  const asked = await owner.applianceAuditLog.listAll({ query: { kind: 'settings.webhook-delivery-repeated' } })
  expect(asked.items).toMatchObject([{ details: { event: 'device.registered', deliveryId: delivery!.id } }])
})

test('events of a receiver that is down survive restarts, arrive once, and are given up after a day', async () => {
  const clock = manualClock()
  const server = await useTestServer({ settings, clock })
  const owner = await server.owner()
  const down = await webhookReceiver()
  await down.close()
  const { id } = await make(owner, down.url)
  await enroll(owner)
  await until(async () => (await deliveriesOf(owner, id))[0]?.attempts === 1)
  await server.restart()
  const up = await webhookReceiver(Number(new URL(down.url).port))
  clock.advance(5_000)
  await until(async () => (await deliveriesOf(owner, id))[0]?.state === 'delivered')
  expect(up.received).toHaveLength(1)

  await up.close()
  await enroll(owner)
  for (let attempts = 1; attempts <= 11; attempts++) {
    await until(async () => (await deliveriesOf(owner, id))[0]?.attempts === attempts)
    clock.advance(11 * 60 * 60 * 1000)
  }
  const again = await server.signIn()
  expect((await deliveriesOf(again, id))[0]).toMatchObject({ state: 'failed', nextAt: null, status: null })
})

test.runIf(isNight)('a delivery that was put off before the clock was set back by years is sent', async () => {
  const server = await useTestServer({ settings })
  const owner = await server.owner()
  const down = await webhookReceiver()
  await down.close()
  const { id } = await make(owner, down.url)
  await enroll(owner)
  await until(async () => (await deliveriesOf(owner, id))[0]?.attempts === 1)
  const late = Date.now() + 3 * 365 * 24 * 3_600_000
  await server.whileStopped((database) =>
    database.write((transaction) =>
      database.sequelize.query(`UPDATE webhook_deliveries SET nextAt = ${late}`, { transaction }),
    ),
  )
  const up = await webhookReceiver(Number(new URL(down.url).port))
  await until(() => up.received.length > 0)
})

test.runIf(isNight)(
  'of what waits for a receiver that is down, the oldest of more than 10,000 are dropped, and the webhook says so',
  async () => {
    const server = await useTestServer({ settings })
    const owner = await server.owner()
    const down = await webhookReceiver()
    await down.close()
    const { id } = await make(owner, down.url)
    const far = Date.now() + 3_600_000
    await server.whileStopped((database) =>
      database.write((transaction) =>
        database.sequelize.query(
          `INSERT INTO webhook_deliveries (id, webhookId, eventId, kind, state, attempts, createdAt, nextAt)
         WITH RECURSIVE ids (n) AS (SELECT -10000 UNION ALL SELECT n + 1 FROM ids WHERE n < -1)
         SELECT '00000000-0000-4000-8000-1' || (10000000000 - n), '${id}', n, 'device.offline', 'waiting', 1, 0, ${far} FROM ids`,
          { transaction },
        ),
      ),
    )
    await enroll(owner)
    const { items } = await until(async () => {
      const list = await owner.applianceWebhooks.list({ tenantId: owner.tenantId })
      return list.items[0]!.dropped > 0 ? list : undefined
    })
    expect(items).toMatchObject([{ dropped: 501, lastDroppedEventId: '-9500' }])
    const waiting = 'SELECT count(*) AS count FROM webhook_deliveries WHERE nextAt IS NOT NULL'
    expect(await server.rows(waiting)).toEqual([{ count: 9_500 }])
    const log = await owner.applianceAuditLog.listAll({ query: { kind: 'export.webhook-delivery' } })
    expect(log.items).toMatchObject([{ outcome: 'failure', details: { event: '501 events' } }])
  },
)

test('a webhook sends what its maker may see, and nothing once the maker may not make it (T43)', async () => {
  const server = await useTestServer({ settings })
  const owner = await server.owner()
  const maker = await addMember(server, owner.tenantId, ['tenant.settings.write', 'tenant.users.read'])
  const receiver = await webhookReceiver()
  const { id } = await make(maker, receiver.url, null)
  await enroll(owner)
  await owner.invites.create({ tenantId: owner.tenantId, body: { inviteeEmail: 'grace@example.org' } })
  await until(() => receiver.received.length === 1)
  expect((await deliveriesOf(owner, id)).map(({ type }) => type)).toEqual(['person.invited'])

  const { tenantId } = owner
  await owner.appliancePeople.disable({ tenantId, params: { userId: maker.user.id } })
  await owner.invites.create({ tenantId, body: { inviteeEmail: 'linus@example.org' } })
  const params = { webhookId: id, deliveryId: (await deliveriesOf(owner, id))[0]!.id }
  await owner.applianceWebhooks.resend({ tenantId, params })
  await until(async () => (await deliveriesOf(owner, id))[0]?.state === 'failed')
  expect((await deliveriesOf(owner, id))[0]!.answer).toContain('disabled')
  const { items } = await owner.applianceWebhooks.list({ tenantId })
  expect(items).toMatchObject([{ mayAct: false, madeBy: maker.user.email }])
  expect(receiver.received).toHaveLength(1)
}, 20_000)

test('a changed webhook sends no events before the change; that of a restricted token none of its user', async () => {
  const server = await useTestServer({ settings })
  const owner = await server.owner()
  const { tenantId } = owner
  const receiver = await webhookReceiver()
  const { id } = await make(owner, receiver.url, ['backup'])
  const { client } = await makeRestrictedToken(owner, ['tenant.settings.write'])
  const body = { name: 'jobs', url: receiver.url, kinds: ['job' as const], isEnabled: true }
  const ofToken = await client.applianceWebhooks.create({ tenantId, body })
  const before = await enroll(owner)
  await owner.applianceWebhooks.update({
    tenantId,
    params: { webhookId: id },
    body: { ...body, kinds: ['device', 'job'] },
  })
  await owner.applianceBatches.start({ body: { kind: 'wake', deviceIds: [before.id] } })
  await until(() => receiver.received.length === 2)
  const types = (await deliveriesOf(owner, id)).map(({ type }) => type)
  expect(types).toEqual(['job.ended', 'job.started'])
  expect(await deliveriesOf(owner, ofToken.id)).toEqual([])
})

test('after a rotation both secrets sign for a day; a test says what came back', async () => {
  const clock = manualClock()
  const server = await useTestServer({ settings, clock })
  const owner = await server.owner()
  const receiver = await webhookReceiver()
  const { id, secret: former } = await make(owner, receiver.url)
  const on = { tenantId: owner.tenantId, params: { webhookId: id } }
  const { secret } = await owner.applianceWebhooks.rotate(on)
  expect(await owner.applianceWebhooks.test(on)).toMatchObject({ isDelivered: true, status: 200, answer: 'seen' })
  clock.advance(25 * 60 * 60 * 1000)
  const again = await server.signIn()
  receiver.statuses = [418]
  expect(await again.applianceWebhooks.test(on)).toMatchObject({ isDelivered: false, status: 418, answer: 'seen' })
  expect(receiver.received.map((one) => [isSignedWith(secret, one), isSignedWith(former, one)])).toEqual([
    [true, true],
    [true, false],
  ])
  const body = { name: 'tickets', url: receiver.url, kinds: ['backup' as const], isEnabled: false }
  expect(await again.applianceWebhooks.update({ ...on, body })).toMatchObject({ name: 'tickets', isEnabled: false })
  await again.applianceWebhooks.delete(on)
  const log = await again.applianceAuditLog.list({ tenantId: owner.tenantId, query: { category: 'settings' } })
  expect(log.items.map(({ kind }) => kind)).toEqual([
    'settings.webhook-deleted',
    'settings.webhook-changed',
    'settings.webhook-secret-replaced',
    'settings.webhook-created',
  ])
})

test.each(
  some([['js', process.execPath, ['--input-type=module', '-e']] as const, ['python', 'python3', ['-c']] as const], 2),
)('the receiver of docs/api.md in %s takes signed requests alone', async (language, program, words) => {
  const guide = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8').split('## Webhooks')[1]!
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(guide)!
  const server = await useTestServer({ settings })
  const owner = await server.owner()
  const taken = await webhookReceiver()
  await taken.close()
  const { port } = new URL(taken.url)
  const { id, secret } = await make(owner, `http://127.0.0.1:${port}/`)
  const child = spawn(program, [...words, text!], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: port },
  })
  onTestFinished(() => void child.kill())
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await until(() => output.includes('ready'))
  const on = { tenantId: owner.tenantId, params: { webhookId: id } }
  expect(await owner.applianceWebhooks.test(on)).toMatchObject({ status: 204 })
  const forged = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: {
      'webhook-id': 'x',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,x',
    },
    body: '{}',
  })
  expect(forged.status).toBe(401)
  await until(() => output.includes('webhook.test'))
})
