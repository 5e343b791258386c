import { describe, expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { addServerAccount } from '../support/people.ts'
import { ownerForFile, serverForFile, useTestServer } from '../support/server.ts'

const minute = 60_000
const clock = manualClock()
// Each test uses its own client address, sent by a trusted proxy.
const server = serverForFile({ clock, settings: { AppOptions__KnownProxies__0: '127.0.0.1' } })
const owner = ownerForFile(server)

const statusFor = async (header: string, key: string, address: string, { url } = server) => {
  const response = await fetch(`${url}/api/v1/server-service-accounts`, {
    headers: { [header]: key, 'x-forwarded-for': address },
  })
  expect(response.headers.get('retry-after')).toBeNull()
  return response.status
}

const wrongSecretFor = (key: string) => `${key.split(':')[0]}:${'x'.repeat(86)}`

describe('API keys', () => {
  const guess = (key: string, address: string) => statusFor('x-api-key', key, address)

  test('are rejected from an address after five wrong keys, even the right key, until the window has passed', async () => {
    const { key } = await addServerAccount(owner)
    const { key: other } = await addServerAccount(owner)
    const address = '192.0.2.1'
    const guesses = Array.from({ length: 5 }, (_, index) =>
      guess(`${String(index).repeat(32).replace(/^0/, 'A')}:x`, address),
    )
    expect(await Promise.all(guesses)).toEqual(Array(5).fill(401))
    expect(await guess(key, address)).toBe(401)
    expect(await guess(other, address)).toBe(401)
    expect(await guess(key, '192.0.2.2')).toBe(200)
    clock.advance(5 * minute - 1)
    expect(await guess(key, address)).toBe(401)
    clock.advance(1)
    expect(await guess(key, address)).toBe(200)
  })

  test('are rejected from every address after five wrong secrets for one credential', async () => {
    const { key } = await addServerAccount(owner)
    for (let count = 0; count < 5; count++) {
      expect(await guess(wrongSecretFor(key), `198.51.100.${count}`)).toBe(401)
    }
    expect(await guess(key, '198.51.100.9')).toBe(401)
    clock.advance(5 * minute)
    expect(await guess(key, '198.51.100.9')).toBe(200)
  })

  test('that are valid clear both counters', async () => {
    const { key } = await addServerAccount(owner)
    const address = '203.0.113.1'
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 4; count++) {
        expect(await guess(wrongSecretFor(key), address)).toBe(401)
      }
      expect(await guess(key, address)).toBe(200)
    }
  })

  test('are throttled the same when guessed at once or one at a time', async () => {
    const { key } = await addServerAccount(owner)
    const address = '203.0.113.2'
    const guesses = Array.from({ length: 20 }, () => guess(wrongSecretFor(key), address))
    const right = guess(key, address)
    await Promise.all(guesses)
    expect(await right).toBe(401)
  })

  test('that are malformed do not count as guesses', async () => {
    const { key } = await addServerAccount(owner)
    const address = '203.0.113.3'
    for (let count = 0; count < 8; count++) {
      expect(await guess('malformed', address)).toBe(400)
    }
    expect(await guess(key, address)).toBe(200)
  })
})

test('limit and window come from the configuration', async () => {
  const short = await useTestServer({
    clock,
    settings: {
      AppOptions__KnownProxies__0: '127.0.0.1',
      AppOptions__ServiceAccountAuthFailureLimit: '2',
      AppOptions__ServiceAccountAuthFailureWindowMinutes: '1',
    },
  })
  const { key } = await addServerAccount(await short.owner())
  const guess = (presented: string) => statusFor('x-api-key', presented, '192.0.2.1', short)
  await guess(wrongSecretFor(key))
  expect(await guess(key)).toBe(200)
  await guess(wrongSecretFor(key))
  await guess(wrongSecretFor(key))
  expect(await guess(key)).toBe(401)
  clock.advance(minute)
  expect(await guess(key)).toBe(200)
})

test('five wrong personal access tokens block further wrong tokens of an address, while valid tokens pass', async () => {
  const { plainTextToken } = await owner.personalAccessTokens.create({
    tenantId: owner.tenantId,
    body: { name: 'script' },
  })
  const guess = (token: string, address: string) => statusFor('x-personal-token', token, address)
  for (const bad of ['malformed', ...Array.from({ length: 4 }, () => wrongSecretFor(plainTextToken))]) {
    expect(await guess(bad, '192.0.2.77')).toBe(401)
  }
  const detailOf = async () => {
    const headers = { 'x-personal-token': wrongSecretFor(plainTextToken), 'x-forwarded-for': '192.0.2.77' }
    const response = await fetch(`${server.url}/api/v1/server-service-accounts`, { headers })
    return (JSON.parse(await response.text()) as { detail: string }).detail
  }
  expect(await detailOf()).toMatch(
    /^Too many wrong .* headers from this address, or for this key\. Try again in 5 min\.$/,
  )
  // Failures from the same address do not lock another user's token.
  expect(await guess(plainTextToken, '192.0.2.77')).toBe(200)
})
