import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { useTestRelay, type Named, type Peer, type TestRelay } from '../support/test-relay.ts'

/** Peers that know a session's id, and how each is rejected. */
const strangers: readonly [string, Named, string | undefined, number][] = [
  ['a requester with a wrong token', { role: 'requester', accessToken: 'guess' }, 'viewer', 401],
  ['a responder with a wrong token', { role: 'responder', accessToken: 'guess' }, undefined, 401],
  ['another principal with a wrong token', { role: 'requester', accessToken: 'guess' }, 'stranger', 403],
  ['another principal with the token', { role: 'requester' }, 'stranger', 403],
  ['a requester without an identity', { role: 'requester' }, undefined, 401],
]

const talk = async (requester: Peer, responder: Peer) => {
  const before = responder.messages.length
  requester.webSocket.send('still here')
  expect((await responder.heard(before + 1)).at(-1)).toBe('still here')
}

describe.each(strangers)('%s', (_, named, identity, status) => {
  test('is rejected, and the running session continues', async () => {
    const relay = await useTestRelay()
    const { requester, responder, ...announced } = await relay.join()
    const { sessionId, accessToken } = announced
    const stranger = relay.connect({ sessionId, accessToken, ...named }, { identity })
    expect(await stranger.opened).toEqual({ status, body: '' })
    await talk(requester, responder)
    await talk(responder, requester)
    expect(announced.ends).toEqual([])
  })

  test.each(['requester', 'responder'] as const)('is rejected, and the waiting %s is joined', async (first) => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    const { sessionId, accessToken } = announced
    const waiting = relay[first](announced)
    await relay.waits(1)
    expect(await relay.connect({ sessionId, accessToken, ...named }, { identity }).opened).toEqual({ status, body: '' })
    const partner = relay[first === 'requester' ? 'responder' : 'requester'](announced)
    await Promise.all([waiting.opened, partner.opened])
    await talk(waiting, partner)
  })
})

test('the first connection that names a session does not set its token', async () => {
  const relay = await useTestRelay()
  const named = { sessionId: randomUUID(), role: 'requester', timeout: 30 }
  const squatter = relay.connect({ ...named, accessToken: 'mine' }, { identity: 'stranger' })
  await relay.waits(1)
  const early = relay.connect({ ...named, accessToken: 'right' }, { identity: 'viewer' })
  await relay.waits(2)
  const announced = relay.announce({ sessionId: named.sessionId, accessToken: 'right' })
  expect(await squatter.opened).toEqual({ status: 403, body: '' })
  const responder = relay.responder(announced)
  await Promise.all([early.opened, responder.opened])
  await talk(early, responder)
})

test('two strangers cannot use the relay as a tunnel', async () => {
  const relay = await useTestRelay()
  const named = { sessionId: randomUUID(), accessToken: 'agreed' }
  relay.connect({ ...named, role: 'requester' }, { identity: 'stranger' })
  await relay.waits(1)
  expect(await relay.connect({ ...named, role: 'responder' }).opened).toEqual({ status: 401, body: '' })
  expect(await relay.connect({ ...named, role: 'responder' }, { identity: 'stranger' }).opened).toEqual({
    status: 401,
    body: '',
  })
})

test('a finished session cannot be replayed', async () => {
  const relay = await useTestRelay()
  const { requester, responder, session, ...announced } = await relay.join()
  responder.webSocket.close()
  await Promise.all([requester.closed, responder.closed])
  for (const peer of [relay.requester({ ...announced, session }), relay.responder({ ...announced, session })]) {
    expect(await peer.opened).toEqual({ status: 401, body: '' })
  }
})

/** Causes every event that the relay logs: rejected, joined, failed and ended sessions. */
async function makeNoise(relay: TestRelay): Promise<string> {
  const { accessToken, sessionId, requester, responder } = await relay.join()
  await relay.connect({ sessionId, accessToken, role: 'requester' }, { identity: 'stranger' }).opened
  await relay.connect({ sessionId, accessToken, role: 'none' }).opened
  requester.webSocket.terminate()
  await responder.closed
  return accessToken
}

test('no token is logged', async () => {
  const relay = await useTestRelay()
  const token = await makeNoise(relay)
  expect(relay.log.lines.length).toBeGreaterThan(0)
  expect(JSON.stringify(relay.log.lines)).not.toContain(token)
  expect(JSON.stringify(relay.log.lines)).not.toContain('accessToken')
})
