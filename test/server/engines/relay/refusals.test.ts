import { text } from 'node:stream/consumers'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../support/clock.ts'
import { useTestRelay } from '../../../support/test-relay.ts'

const hint = '\n\nConnect to /relay?sessionId={id}&accessToken={token}&role={requester|responder}.'
const sessionId = randomUUID()
const whole = { sessionId, accessToken: 'secret', role: 'requester', timeout: 30 }

const wrongRequests = [
  ['without a session id', { sessionId: undefined }, 'Invalid or missing session ID.'],
  ['with an empty session id', { sessionId: '' }, 'Invalid or missing session ID.'],
  ['with a session id that is no GUID', { sessionId: '1234' }, 'Invalid or missing session ID.'],
  ['with hyphens in wrong places', { sessionId: sessionId.replace('-', '') }, 'Invalid or missing session ID.'],
  ['with one brace', { sessionId: `{${sessionId}` }, 'Invalid or missing session ID.'],
  ['without a token', { accessToken: undefined }, 'Invalid or missing access token.'],
  ['with an empty token', { accessToken: '' }, 'Invalid or missing access token.'],
  ['without a role', { role: undefined }, 'Invalid or missing role.'],
  ['with an unknown role', { role: 'viewer' }, 'Invalid or missing role.'],
  ['with the number of no role', { role: '2' }, 'Invalid or missing role.'],
  ['with a negative timeout', { timeout: -1 }, 'Timeout cannot be negative.'],
  ['with nothing right', { sessionId: '', accessToken: '', role: '', timeout: -1 }, 'Invalid or missing session ID.'],
] as const

test.each(wrongRequests)('a request %s is answered 400', async (_, wrong, sentence) => {
  const relay = await useTestRelay()
  const peer = relay.connect({ ...whole, ...wrong }, { identity: 'viewer' })
  expect(await peer.opened).toEqual({ status: 400, body: sentence + hint })
  expect(relay.relay.sizes.waiting).toBe(0)
})

test('a repeated parameter has neither of its values', async () => {
  const relay = await useTestRelay()
  const announced = relay.announce()
  const address = relay.addressOf({ ...announced, role: 'responder' }, {})
  const socket = await relay.raw(
    `/relay?${new URLSearchParams({
      sessionId: announced.sessionId,
      accessToken: announced.accessToken,
      role: 'responder',
    }).toString()}&ACCESSTOKEN=other`,
  )
  expect(address).toContain('role=responder')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 /)
})

describe('an upgrade is answered 401 with an empty body', () => {
  const unauthorized = { status: 401, body: '' }

  test('for an unauthenticated requester', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    expect(await relay.requester(announced, {}, { identity: undefined }).opened).toEqual(unauthorized)
  })

  test('for a wrong token of either role, before its timeout is checked', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    const wrong = { accessToken: `${announced.accessToken}x`, timeout: -1 }
    expect(await relay.requester(announced, wrong).opened).toEqual(unauthorized)
    expect(await relay.responder(announced, wrong).opened).toEqual(unauthorized)
  })

  test('for a responder whose session is not announced', async () => {
    const relay = await useTestRelay()
    expect(await relay.connect({ ...whole, role: 'responder' }).opened).toEqual(unauthorized)
  })

  test('for a responder whose requester waits without an announcement', async () => {
    const relay = await useTestRelay()
    relay.connect(whole, { identity: 'viewer' })
    await relay.waits(1)
    expect(await relay.connect({ ...whole, role: 'responder' }).opened).toEqual(unauthorized)
    expect(relay.relay.sizes.waiting).toBe(1)
  })

  test('for a second early requester of the same identity with another token', async () => {
    const relay = await useTestRelay()
    relay.connect(whole, { identity: 'viewer' })
    await relay.waits(1)
    expect(await relay.connect({ ...whole, accessToken: 'other' }, { identity: 'viewer' }).opened).toEqual(unauthorized)
  })
})

test('a requester other than the announced one is answered 403, whatever its token', async () => {
  const relay = await useTestRelay()
  const announced = relay.announce()
  const forbidden = { status: 403, body: '' }
  expect(await relay.requester(announced, {}, { identity: 'other' }).opened).toEqual(forbidden)
  expect(await relay.requester(announced, { accessToken: 'x' }, { identity: 'other' }).opened).toEqual(forbidden)
})

describe('a role that is taken is answered 400', () => {
  const taken = (role: string) => ({ status: 400, body: `Role '${role}' is already assigned for this session.${hint}` })

  test('while its peer waits', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    relay.requester(announced)
    await relay.waits(1)
    expect(await relay.requester(announced, { timeout: -1 }).opened).toEqual(taken('Requester'))
  })

  test('while the responder waits', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    relay.responder(announced)
    await relay.waits(1)
    expect(await relay.responder(announced).opened).toEqual(taken('Responder'))
  })

  test('while the session runs', async () => {
    const relay = await useTestRelay()
    const joined = await relay.join()
    expect(await relay.requester(joined).opened).toEqual(taken('Requester'))
    expect(await relay.responder(joined).opened).toEqual(taken('Responder'))
  })

  test('by an early requester', async () => {
    const relay = await useTestRelay()
    relay.connect(whole, { identity: 'viewer' })
    await relay.waits(1)
    expect(await relay.connect(whole, { identity: 'viewer' }).opened).toEqual(taken('Requester'))
  })
})

const waits = [
  ['names no timeout', undefined, 20],
  ['names one', 30, 30],
  ['names one with a sign and blanks', ' +30 ', 30],
  ['names what is no number', 'soon', 20],
  ['names a fraction', '1.5', 20],
  ['names what does not fit into 32 bits', '-99999999999', 20],
  ['asks for no limit', 0, 300],
  ['asks for too long a time', 86_400, 300],
] as const

test.each(waits)('a peer that %s is answered 408 when its wait expires', async (_, timeout, seconds) => {
  const clock = manualClock()
  const relay = await useTestRelay({ clock })
  const announced = relay.announce({ waitMs: 3_600_000 })
  const peer = relay.requester(announced, { timeout })
  await relay.waits(1)
  clock.advance(seconds * 1000 - 1)
  expect(relay.relay.sizes.waiting).toBe(1)
  clock.advance(1)
  expect(await peer.opened).toEqual({ status: 408, body: 'Timed out while waiting for partner.' })
  expect(relay.relay.sizes).toMatchObject({ waiting: 0, announced: 1 })
})

const wrongUpgrades = [
  ['without a key', { 'Sec-WebSocket-Key': '' }, 400],
  ['with a key of a wrong length', { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZQ==' }, 400],
  ['to something else', { Upgrade: 'h2c' }, 400],
  ['of an unknown version', { 'Sec-WebSocket-Version': '12' }, 426],
  ['with an empty subprotocol', { 'Sec-WebSocket-Protocol': ',' }, 400],
  ['with a subprotocol that is no token', { 'Sec-WebSocket-Protocol': 'a b' }, 400],
  ['with a subprotocol twice', { 'Sec-WebSocket-Protocol': 'a, a' }, 400],
] as const

test.each(wrongUpgrades)('an upgrade %s is rejected and takes no role', async (_, wrong, status) => {
  const relay = await useTestRelay()
  const announced = relay.announce()
  const { sessionId, accessToken } = announced
  const socket = await relay.raw(relay.addressOf({ sessionId, accessToken, role: '1' }), { headers: wrong })
  const answer = await text(socket)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(answer.includes('Sec-WebSocket-Version: 13')).toBe(status === 426)
  await relay.join(announced)
})

test('an upgrade with another method is answered 405', async () => {
  const relay = await useTestRelay()
  const { sessionId, accessToken } = relay.announce()
  const socket = await relay.raw(relay.addressOf({ sessionId, accessToken, role: '1' }), { method: 'POST' })
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 405 /)
})

const spellings = [
  ['upper case', (id: string) => id.toUpperCase()],
  ['no hyphens', (id: string) => id.replaceAll('-', '')],
  ['braces', (id: string) => `{${id}}`],
  ['parentheses', (id: string) => `(${id})`],
  ['blanks', (id: string) => ` ${id} `],
] as const

test.each(spellings)('a session id in a spelling with %s is accepted', async (_, spell) => {
  const relay = await useTestRelay()
  const announced = relay.announce()
  relay.requester(announced)
  await relay.waits(1)
  expect(await relay.responder(announced, { sessionId: spell(announced.sessionId) }).opened).toBeUndefined()
})

test('parameters are accepted in any order and letter case, roles in any case or as numbers', async () => {
  const relay = await useTestRelay()
  const { sessionId: id, accessToken: token, starts } = relay.announce()
  const requester = await relay.raw(
    `/relay?ROLE=Requester&TimeOut=30&ACCESStoken=${token}&sessionid=${id}&identity=viewer`,
  )
  await relay.waits(1)
  const responder = await relay.raw(`/relay?role=1&SessionID=${id}&accesstoken=${token}`)
  for (const socket of [requester, responder]) {
    const [answer] = await new Promise<Buffer[]>((resolve) => socket.once('data', (data) => resolve([data])))
    expect(String(answer)).toMatch(/^HTTP\/1\.1 101 /)
  }
  expect(starts).toEqual([1])
})

test.each(['//relay', '/relay/', '/relay/below'])('the path %s is accepted', async (path) => {
  const relay = await useTestRelay()
  const announced = relay.announce()
  relay.requester(announced, {}, { path })
  await relay.waits(1)
  expect(await relay.responder(announced, {}, { path }).opened).toBeUndefined()
})
