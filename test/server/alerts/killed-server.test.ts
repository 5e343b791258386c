import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { EventDto } from '../../../shared/dtos/event.ts'
import { enroll } from '../../support/agent.ts'
import { isNight } from '../../support/night.ts'
import { registerOwner, signInTo } from '../../support/server.ts'
import { startServerProcess, temporaryFolder } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'

interface Sent {
  path: string
  id: string
  body: EventDto
}

test.runIf(isNight)(
  'a server that is killed between event and delivery loses nothing, and repeats only what has the same id',
  async () => {
    const folder = await temporaryFolder()
    const settings = { AppOptions__OutgoingNetworks__0: '127.0.0.0/8' }
    const sent: Sent[] = []
    let killAt = Infinity
    let server = await startServerProcess(folder, settings)
    let killed = Promise.withResolvers<void>()
    const receiver = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk: Buffer) => (text += chunk.toString()))
      request.on('end', () => {
        const { 'webhook-id': ofWebhook, 'x-notification-id': ofNotification } = request.headers
        const id = String(ofWebhook ?? ofNotification)
        sent.push({ path: request.url!, id, body: JSON.parse(text) as Sent['body'] })
        if (sent.length >= killAt) {
          // The receiver has it, and the server never learns that.
          killAt = Infinity
          void server.kill().then(killed.resolve)
        } else {
          response.end()
        }
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      receiver.closeAllConnections()
      receiver.close()
    })
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

    let owner = await registerOwner(server.url)
    const { tenantId } = owner
    await owner.applianceWebhooks.create({
      tenantId,
      body: { name: 'ticket system', url: `${address}/events`, kinds: ['device.registered', 'alert'], isEnabled: true },
    })
    await owner.applianceNotifications.addMethod({
      body: { service: 'ntfy', name: 'Phone', address: `${address}/topic` },
    })
    await owner.applianceAlerts.createRule({
      tenantId,
      body: {
        name: 'New',
        condition: { kind: 'device-new' },
        scope: { kind: 'everything', id: null },
        receivers: { kind: 'administrators', userIds: [] },
        isEnabled: true,
      },
    })
    // At the first request, and among several.
    for (const requests of [1, 3]) {
      killAt = sent.length + requests
      await Promise.allSettled([1, 2, 3].map(() => enroll(owner)))
      await killed.promise
      killed = Promise.withResolvers()
      server = await startServerProcess(folder, { ...settings, Urls: server.url })
      owner = await signInTo(server.url)
    }

    const eventsOf = async (kinds: string) =>
      (await owner.applianceEvents.list({ query: { kinds, limit: 1000 } })).items.map(({ id }) => id).toSorted()
    const ofWebhook = () => sent.filter(({ path }) => path === '/events')
    const kinds = 'device.registered,alert'
    await until(async () => {
      const received = new Set(ofWebhook().map(({ body }) => body.id))
      return (await eventsOf(kinds)).every((id) => received.has(id))
    })
    const isTold = async () => {
      const [, phone] = (await owner.applianceNotifications.get({})).methods
      return phone?.last?.state === 'delivered' && phone.last.waiting === 0
    }
    await until(isTold)
    // Each event is sent, none that did not happen, and a repeated delivery has the id of its first attempt.
    const pairs = new Set(ofWebhook().map(({ id, body }) => `${body.id} ${id}`))
    expect([...pairs].map((pair) => pair.split(' ')[0]!).toSorted()).toEqual(await eventsOf(kinds))
    expect(new Set(ofWebhook().map(({ id }) => id)).size).toBe(pairs.size)
    const notified = new Set(sent.filter(({ path }) => path !== '/events').map(({ id }) => id))
    expect(notified.size).toBe((await owner.applianceAlerts.list({ query: {} })).items.length)
  },
  90_000,
)
