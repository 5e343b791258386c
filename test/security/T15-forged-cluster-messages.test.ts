import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@redis/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { enroll } from '../support/agent.ts'
import { connectViewer } from '../support/hub-client.ts'
import { canJoin, joinedForFile } from '../support/joined-servers.ts'
import { until } from '../support/until.ts'

describe.runIf(canJoin)('a program that can write to the Redis of two servers', () => {
  const joined = joinedForFile()

  /** A device at the first server, which another device at the second server can have called. */
  async function calledDevice() {
    const { owner, ownerAtTwo, one } = joined
    const [asleep, neighbor] = [await enroll(owner), await enroll(owner)]
    const told: string[] = []
    await neighbor.connect(one.url, {
      InvokeWakeDevice: ({ macAddresses }) => void told.push(macAddresses.join()),
      UninstallAgent: (reason) => void told.push(reason),
    })
    const { connectionId } = await until(async () => {
      const seen = await ownerAtTwo.devices.get({ params: { deviceId: neighbor.id } }).catch(() => undefined)
      return seen?.isOnline ? seen : undefined
    })
    const viewer = await connectViewer(ownerAtTwo)
    const wake = (mac: string) => viewer.SendWakeDevice2({ deviceId: asleep.id, macAddresses: [mac] })
    return { connectionId, told, wake }
  }

  async function redisClient() {
    const client = createClient({ url: joined.redis.url })
    await client.connect()
    onTestFinished(() => client.destroy())
    return client
  }

  test('calls no agent by a message of its own, and none again by a repeated one', async () => {
    const { connectionId, told, wake } = await calledDevice()
    const client = await redisClient()
    const subscriber = await redisClient()
    const sent: { channel: string; text: string }[] = []
    await subscriber.pSubscribe('*', (text, channel) => void sent.push({ channel, text }))
    await wake('020000000001')
    await until(() => told.length === 1)
    // Messages to one server; each is sealed. This subscriber may get them after that server.
    const asked = await until(() => {
      const found = sent.filter(({ channel }) => channel.includes(':to:'))
      return found.length > 0 ? found : undefined
    })
    expect(sent.filter(({ text }) => text.includes('020000000001') || text.includes('InvokeWakeDevice'))).toEqual([])
    const genuine = asked[0]!
    const message = {
      kind: 'ask',
      id: 99,
      method: 'agent.send',
      body: { connectionId, target: 'UninstallAgent', args: ['forged'] },
    }
    const to = genuine.channel.slice(genuine.channel.lastIndexOf(':') + 1)
    const envelope = JSON.stringify({ from: to, to, sentAt: Date.now(), sequence: 1_000_000, message })
    const changed = `${genuine.text.slice(0, -4)}AAAA`
    for (const text of [JSON.stringify(message), envelope, changed, ...asked.map((each) => each.text), '', ' ']) {
      expect(await client.publish(genuine.channel, text)).toBeGreaterThan(0)
    }
    await wake('020000000002')
    await until(() => told.includes('020000000002'))
    expect(told).toEqual(['020000000001', '020000000002'])
  })

  test('is no server, and gets no request', async () => {
    const { owner } = joined
    const client = await redisClient()
    let requests = 0
    const thief = createServer((_, response) => {
      requests++
      response.end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void thief.close())
    await until(() => thief.listening)
    const url = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`
    const [servers, leases] = await Promise.all(
      ['*servers', '*leases'].map(async (name) => (await client.keys(name))[0]!),
    )
    const forged = 'feedfeedfeed'
    const record = { id: forged, url, version: '1', startedAt: Date.now(), renewedAt: Date.now() }
    const [id, sealed] = Object.entries(await client.hGetAll(servers!))[0]!
    await client.zAdd(leases!, { value: forged, score: Date.now() + 600_000 })
    // A record in plain text, and that of a server under another name.
    await client.hSet(servers!, { [forged]: JSON.stringify(record), feedfeedfee0: sealed })
    // Both have read it when both have renewed twice.
    for (let renewals = 0; renewals < 2; renewals++) {
      const before = await client.zRangeWithScores(leases!, 0, -1)
      await until(async () => {
        const now = await client.zRangeWithScores(leases!, 0, -1)
        const isRenewed = ({ value, score }: { value: string; score: number }) =>
          value === forged || now.some((other) => other.value === value && other.score > score)
        return before.length === 3 && before.every(isRenewed)
      })
    }
    for (const server of [forged, id]) {
      const response = await owner.fetch(`/hubs/viewer?id=token.${server}`, { method: 'POST', body: '' })
      expect(response.status).toBe(404)
    }
    expect(requests).toBe(0)
  })
})
