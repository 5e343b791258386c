import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { tokenHashOf } from '../../../../server/engines/relay/relay.ts'
import { manualClock } from '../../../support/clock.ts'
import { useTestRelay, type TestRelay } from '../../../support/test-relay.ts'
import { until } from '../../../support/until.ts'

const timedOut = { status: 408, body: 'Timed out while waiting for partner.' }

/** Names of an early requester, and of its announcement. */
const earlySession = () => ({ sessionId: randomUUID(), accessToken: 'secret' })

const early = (relay: TestRelay, named: ReturnType<typeof earlySession>, identity = 'viewer', from = '') =>
  relay.connect({ ...named, role: 'requester', timeout: 30 }, { identity, from })

describe('the upgrade response', () => {
  test('waits until both peers are connected, and selects the first requested subprotocol', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    const requester = relay.requester(announced, {}, { protocols: ['binary', 'base64'] })
    await relay.waits(1)
    let isOpen = false
    requester.webSocket.on('open', () => (isOpen = true))
    // Another session begins and takes the time that an answer to the first would take.
    await relay.join()
    expect([isOpen, announced.starts]).toEqual([false, []])
    const responder = relay.responder(announced)
    await Promise.all([requester.opened, responder.opened])
    expect([requester.webSocket.protocol, responder.webSocket.protocol]).toEqual(['binary', ''])
    expect(requester.webSocket.extensions).toBe('')
    expect(announced.starts).toEqual([1])
  })

  test('does not depend on which peer connects first', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    const responder = relay.responder(announced)
    await relay.waits(1)
    const requester = relay.requester(announced)
    expect(await Promise.all([requester.opened, responder.opened])).toEqual([undefined, undefined])
  })
})

describe('a peer that disconnects while it waits', () => {
  test.each(['destroy', 'end', 'resetAndDestroy'] as const)('by %s frees its role', async (how) => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    const { sessionId, accessToken } = announced
    const socket = await relay.raw(relay.addressOf({ sessionId, accessToken, role: 'responder' }))
    await relay.waits(1)
    socket[how]()
    await relay.waits(0)
    await relay.join(announced)
  })

  test('before its announcement is removed', async () => {
    const relay = await useTestRelay()
    const peer = early(relay, earlySession())
    await relay.waits(1)
    peer.webSocket.terminate()
    await relay.waits(0)
    expect(relay.relay.sizes.early).toBe(0)
  })
})

test('a peer that sends before the response is dropped, and frees its role', async () => {
  const relay = await useTestRelay()
  const announced = relay.announce()
  const { sessionId, accessToken } = announced
  const socket = await relay.raw(relay.addressOf({ sessionId, accessToken, role: 'responder' }))
  await relay.waits(1)
  socket.write('x')
  await once(socket, 'close')
  await relay.join(announced)
})

test('a peer that timed out frees its role, and may connect again', async () => {
  const clock = manualClock()
  const relay = await useTestRelay({ clock })
  const announced = relay.announce()
  const requester = relay.requester(announced, { timeout: 5 })
  await relay.waits(1)
  clock.advance(5_000)
  expect(await requester.opened).toEqual(timedOut)
  await relay.join(announced)
})

describe('an announcement', () => {
  test('expires, and a peer that waits for its session is answered 408', async () => {
    const clock = manualClock()
    const relay = await useTestRelay({ clock })
    const announced = relay.announce({ waitMs: 60_000 })
    const requester = relay.requester(announced, { timeout: 0 })
    await relay.waits(1)
    clock.advance(60_000)
    expect(await requester.opened).toEqual(timedOut)
    expect(announced.ends).toEqual([{ reason: 'expired', requesterBytes: 0, responderBytes: 0 }])
    expect(await relay.responder(announced).opened).toEqual({ status: 401, body: '' })
    expect(relay.relay.sizes).toEqual({ announced: 0, running: 0, waiting: 0, early: 0, closing: 0 })
  })

  test('does not expire once its session runs', async () => {
    const clock = manualClock()
    const relay = await useTestRelay({ clock })
    const { requester, responder, ends } = await relay.join()
    clock.advance(60_000)
    requester.webSocket.send('still here')
    expect(await responder.heard(1)).toEqual(['still here'])
    expect(ends).toEqual([])
  })

  test('can be cancelled', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    const requester = relay.requester(announced)
    await relay.waits(1)
    announced.session.end('the device refused')
    announced.session.end('again')
    expect(await requester.opened).toEqual(timedOut)
    expect(announced.ends).toEqual([{ reason: 'the device refused', requesterBytes: 0, responderBytes: 0 }])
    expect(await relay.responder(announced).opened).toEqual({ status: 401, body: '' })
  })

  test('of an id that is announced or running already is rejected', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    const again = () => relay.announce({ sessionId: announced.sessionId.toUpperCase() })
    expect(again).toThrow(expect.objectContaining({ reason: 'known' }))
    await relay.join(announced)
    expect(again).toThrow(expect.objectContaining({ reason: 'known' }))
  })

  test('is rejected while its requester has too many sessions, including running ones', async () => {
    const relay = await useTestRelay({ options: { maxSessionsOfRequester: 2 } })
    const [first, second] = [relay.announce(), relay.announce()]
    expect(() => relay.announce()).toThrow(expect.objectContaining({ reason: 'tooMany' }))
    relay.announce({ requester: 'other' })
    first.session.end('taken back')
    await relay.join(second)
    relay.announce()
    expect(() => relay.announce()).toThrow(expect.objectContaining({ reason: 'tooMany' }))
    second.session.end('done')
    relay.announce()
  })

  test('is rejected while all requesters of its account have too many sessions (T44)', async () => {
    const relay = await useTestRelay({ options: { maxSessionsOfAccount: 2 } })
    const [first] = [relay.announce({ requester: 'session' }), relay.announce({ requester: 'token' })]
    const third = () => relay.announce({ requester: 'another token' })
    expect(third).toThrow(expect.objectContaining({ reason: 'tooMany' }))
    relay.announce({ account: 'another account' })
    first.session.end('done')
    third()
  })

  test('without a valid GUID and SHA-256 throws', async () => {
    const relay = await useTestRelay()
    expect(() => relay.announce({ sessionId: '1' })).toThrow(TypeError)
    expect(() => relay.announce({ tokenHash: Buffer.from('secret') })).toThrow(TypeError)
  })

  test('whose callback throws runs all the same', async () => {
    const relay = await useTestRelay()
    const fail = () => {
      throw new Error('unwell')
    }
    const { requester, responder, session } = await relay.join(relay.announce({ onStart: fail, onEnd: fail }))
    requester.webSocket.send('hello')
    await responder.heard(1)
    session.end('enough')
    await requester.closed
    expect(relay.log.claimErrors(/failed/)).toHaveLength(2)
  })
})

test('a session id works once', async () => {
  const relay = await useTestRelay()
  const { requester, responder, session, ...announced } = await relay.join()
  session.end('done')
  await Promise.all([requester.closed, responder.closed])
  const used = { ...announced, session }
  expect(await relay.requester(used).opened).toEqual({ status: 401, body: '' })
  expect(await relay.responder(used).opened).toEqual({ status: 401, body: '' })
  expect(() => relay.announce({ sessionId: used.sessionId })).toThrow(expect.objectContaining({ reason: 'known' }))
})

test('used session ids are stored up to a limit, the oldest are evicted', async () => {
  const relay = await useTestRelay({ options: { maxUsedIds: 2 } })
  const used: string[] = []
  for (let count = 0; count < 3; count++) {
    const { session, requester, responder } = await relay.join()
    session.end('done')
    await Promise.all([requester.closed, responder.closed])
    used.push(session.sessionId)
  }
  expect(() => relay.announce({ sessionId: used[1]! })).toThrow(expect.objectContaining({ reason: 'known' }))
  relay.announce({ sessionId: used[0]! })
})

describe('a requester that connects before its announcement', () => {
  test('waits for it, and is joined', async () => {
    const relay = await useTestRelay()
    const named = earlySession()
    const requester = early(relay, named)
    await relay.waits(1)
    expect(relay.relay.sizes.early).toBe(1)
    const announced = relay.announce(named)
    expect(relay.relay.sizes).toMatchObject({ early: 0, waiting: 1 })
    const responder = relay.responder(announced)
    expect(await Promise.all([requester.opened, responder.opened])).toEqual([undefined, undefined])
  })

  test('is answered 408 without an announcement', async () => {
    const clock = manualClock()
    const relay = await useTestRelay({ clock })
    const requester = early(relay, earlySession())
    await relay.waits(1)
    clock.advance(30_000)
    expect(await requester.opened).toEqual(timedOut)
    expect(relay.relay.sizes.early).toBe(0)
  })

  test('keeps its own timeout after the announcement', async () => {
    const clock = manualClock()
    const relay = await useTestRelay({ clock })
    const named = earlySession()
    const requester = early(relay, named)
    await relay.waits(1)
    clock.advance(20_000)
    const announced = relay.announce(named)
    clock.advance(10_000)
    expect(await requester.opened).toEqual(timedOut)
    expect(announced.ends).toEqual([])
    await relay.join(announced)
  })

  test('is rejected when the announcement names another requester or token', async () => {
    const relay = await useTestRelay()
    const [ofOther, withOther] = [earlySession(), earlySession()]
    const [first, second] = [early(relay, ofOther), early(relay, withOther)]
    await relay.waits(2)
    relay.announce({ ...ofOther, requester: 'other' })
    relay.announce({ ...withOther, tokenHash: tokenHashOf('another') })
    expect(await first.opened).toEqual({ status: 403, body: '' })
    expect(await second.opened).toEqual({ status: 401, body: '' })
    expect(relay.relay.sizes).toMatchObject({ announced: 2, waiting: 0, early: 0 })
  })

  test('is rejected when too many of its principal or address wait, and others are not', async () => {
    const relay = await useTestRelay({ options: { maxEarlyOfPrincipal: 2, maxEarlyOfAddress: 3 } })
    const tooMany = { status: 429, body: 'Too many connections are waiting for a session. Close some.' }
    const waiting = [early(relay, earlySession(), 'a', 'near'), early(relay, earlySession(), 'a', 'near')]
    await relay.waits(2)
    expect(await early(relay, earlySession(), 'a', 'far').opened).toEqual(tooMany)
    early(relay, earlySession(), 'b', 'near')
    await relay.waits(3)
    expect(await early(relay, earlySession(), 'c', 'near').opened).toEqual(tooMany)
    early(relay, earlySession(), 'c', 'far')
    await relay.waits(4)
    // An announced session has a place already.
    const announced = relay.announce({ requester: 'a' })
    relay.requester(announced, {}, { identity: 'a', from: 'near' })
    await relay.waits(5)
    waiting[0]!.webSocket.terminate()
    await relay.waits(4)
    early(relay, earlySession(), 'a', 'near')
    await until(() => relay.relay.sizes.early === 4)
  })
})
