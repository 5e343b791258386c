import { describe, expect, test } from 'vitest'
import { isReachable } from '../../server/engines/outgoing/networks.ts'
import { serverForFile, type Member } from '../support/server.ts'
import { webhookReceiver } from '../support/webhook-receiver.ts'

const make = async (owner: Member, url: string) => {
  const body = { name: 'receiver', url, kinds: null, isEnabled: true }
  const made = await owner.applianceWebhooks.create({ tenantId: owner.tenantId, body })
  return { ...made, on: { tenantId: owner.tenantId, params: { webhookId: made.id } } }
}

describe('without allowed networks', () => {
  const server = serverForFile()

  test('no spelling of this machine or its networks is reached, and the test says why', async () => {
    const owner = await server.owner()
    const receiver = await webhookReceiver()
    const { port } = new URL(receiver.url)
    const hosts = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]']
    for (const host of hosts) {
      const { on } = await make(owner, `http://${host}:${port}/`)
      const { status, answer } = await owner.applianceWebhooks.test(on)
      expect([host, status, answer]).toEqual([host, null, expect.stringContaining('may not reach')])
      await owner.applianceWebhooks.delete(on)
    }
    expect(receiver.received).toEqual([])
    for (const url of ['ftp://example.org/', 'file:///etc/passwd', 'https://ada:secret@example.org/', 'example.org']) {
      await expect(make(owner, url)).rejects.toMatchObject({ status: 400 })
    }
  })
})

describe('with this machine allowed', () => {
  const server = serverForFile({ settings: { AppOptions__OutgoingNetworks__0: '127.0.0.0/8' } })

  test('redirects are not followed, and the secret is never shown again', async () => {
    const owner = await server.owner()
    const receiver = await webhookReceiver()
    receiver.statuses = [307]
    receiver.location = receiver.url.replace('/hook', '/elsewhere')
    const { on, secret } = await make(owner, `${receiver.url}?key=of-the-receiver`)
    expect(await owner.applianceWebhooks.test(on)).toMatchObject({ isDelivered: false, status: 307 })
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook?key=of-the-receiver'])
    const shown = JSON.stringify([
      await owner.applianceWebhooks.list(on),
      await owner.applianceAuditLog.listAll({ query: {} }),
      await server.rows('SELECT * FROM webhooks'),
    ])
    expect([shown.includes(secret), shown.includes(secret.replace('whsec_', ''))]).toEqual([false, false])
    const logged = JSON.stringify(await owner.applianceAuditLog.listAll({ query: {} }))
    expect([logged.includes(new URL(receiver.url).origin), logged.includes('of-the-receiver')]).toEqual([true, false])
  })
})

test.each([
  ['93.184.216.34', true],
  ['2606:2800:220:1::1', true],
  ['10.1.2.3', false],
  ['172.31.255.255', false],
  ['192.168.0.1', false],
  ['100.100.100.200', false],
  ['169.254.169.254', false],
  ['::ffff:169.254.169.254', false],
  ['64:ff9b::a9fe:a9fe', false],
  ['2002:a9fe:a9fe::1', false],
  ['fd00:ec2::254', false],
  ['fe80::1', false],
  ['ff02::1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['168.63.129.16', false],
  ['2606:2800:220:9::1', false],
  ['93.184.217.1', false],
])('%s is the internet: %s', (address, isInternet) => {
  const own = ['93.184.217.34/24', '2606:2800:220:9::7/64']
  expect(isReachable(address, [], own)).toBe(isInternet)
  expect(isReachable(address, ['0.0.0.0/0', '::/0'], own)).toBe(true)
})
