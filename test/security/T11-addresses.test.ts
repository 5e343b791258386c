import { describe, expect, test } from 'vitest'
import { createRateLimit } from '../../server/engines/http/web/rate-limit.ts'
import { installerKey, TestAgent } from '../support/agent.ts'
import { manualClock } from '../support/clock.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'

const minute = 60_000
const clock = manualClock()

// Each test uses its own client address, sent by a trusted proxy.
const server = serverForFile({ clock, settings: { AppOptions__KnownProxies__0: '127.0.0.1' } })
const owner = ownerForFile(server)

const json = { 'content-type': 'application/json' }
const post = (path: string, address: string, body: object) =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { ...json, origin: server.url, 'x-forwarded-for': address },
    body: JSON.stringify(body),
  })

/** Statuses of sequential attempts. */
async function statuses(count: number, attempt: (index: number) => Promise<Response>): Promise<number[]> {
  const found = []
  for (let index = 0; index < count; index++) {
    found.push((await attempt(index)).status)
  }
  return found
}

describe('attempts to sign in', () => {
  const signIn = (address: string) =>
    post('/api/appliance/v1/session', address, { email: 'nobody@example.org', password: 'Wrong-Horse-7' })

  test('from one IPv6 network count together, and from another network separately', async () => {
    const first = await statuses(20, (index) => signIn(`2001:db8:0:7::${index + 1}`))
    expect(first).not.toContain(429)
    expect((await signIn('2001:db8:0:7:ffff::1')).status).toBe(429)
    expect((await signIn('2001:db8:0:8::1')).status).not.toBe(429)
  })
})

test('personal tokens and API keys are throttled by IPv6 network', async () => {
  for (const [header, key] of [
    ['x-personal-token', (index: number) => `${String(index).repeat(32)}:x`],
    ['x-api-key', (index: number) => `${String(index).repeat(32)}:x`],
  ] as const) {
    const warnings = () => server.log.lines.filter(({ fields }) => JSON.stringify(fields).includes('2001:db8:0:9::/64'))
    const before = warnings().length
    await statuses(5, (index) =>
      fetch(`${server.url}/api/v1/devices`, {
        headers: { [header]: key(index + 1), 'x-forwarded-for': `2001:db8:0:9::${index + 1}` },
      }),
    )
    expect(warnings().length - before).toBe(1)
  }
})

test('a limit past ten thousand addresses counts no stranger together with another', () => {
  const limit = createRateLimit(clock, { limit: 1, windowMs: minute })
  for (let index = 0; index < 30_000; index++) {
    limit.take(`address ${index}`)
  }
  expect(() => limit.take('address 29999')).toThrow('Too many attempts. Try again in 60 s.')
})

describe('registrations from one address', () => {
  const register = (address: string, key: { id: string; keySecret: string }) =>
    post('/api/agent/devices', address, {
      device: new TestAgent(owner.tenantId).report(),
      installerKeyId: key.id,
      installerKeySecret: key.keySecret,
    })

  test('with a right key pass despite wrong guesses from the same address', async () => {
    const address = '192.0.2.1'
    const key = await installerKey(owner)
    const unknown = { id: crypto.randomUUID(), keySecret: key.keySecret }
    const wrong = { ...key, keySecret: 'wrong' }
    const guesses = await statuses(24, (index) => register(address, index % 2 === 0 ? unknown : wrong))
    expect(guesses).toEqual([...Array(20).fill(400), ...Array(4).fill(429)])
    expect((await register(address, key)).status).toBe(200)
    expect((await register('192.0.2.2', wrong)).status).toBe(400)
    clock.advance(minute)
    expect((await register(address, wrong)).status).toBe(400)
  })

  test('with a right key that is rejected for another reason do not count as guesses', async () => {
    const address = '192.0.2.3'
    const spent = await owner.installerKeys.create({
      body: { tenantId: owner.tenantId, keyType: 'UsageBased', allowedUses: 1 },
    })
    const refused = await statuses(25, () => register(address, spent))
    expect(refused).toEqual([200, ...Array(24).fill(400)])
    expect((await register(address, { ...spent, keySecret: 'wrong' })).status).toBe(400)
  })
})
