import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { manualClock } from '../../../support/clock.ts'
import { clientFrame, serverFrames } from '../../../support/client-frames.ts'
import { isNight } from '../../../support/night.ts'
import { useTestRelay, type Announced, type Peer, type TestRelay } from '../../../support/test-relay.ts'
import { steady, until } from '../../../support/until.ts'

const ended = { code: 1000, reason: 'Session ended.' }
const nothing = { announced: 0, running: 0, waiting: 0, early: 0, closing: 0 }
const mebibyte = 1024 * 1024
type Raw = Awaited<ReturnType<TestRelay['joinRaw']>>

describe('a session ends for both', () => {
  test('when one side closes', async () => {
    const relay = await useTestRelay()
    const { requester, responder, ends, session } = await relay.join()
    requester.webSocket.send('last words')
    requester.webSocket.close(4000, 'tired')
    expect(await responder.closed).toEqual(ended)
    expect(responder.texts).toEqual(['last words'])
    expect(await requester.closed).toEqual({ code: 4000, reason: 'tired' })
    expect(ends).toEqual([{ reason: 'requester closed', requesterBytes: 10, responderBytes: 0 }])
    expect(session.isRunning).toBe(false)
    await until(() => relay.relay.sizes.closing === 0)
    expect(relay.relay.sizes).toEqual(nothing)
  })

  test.each(['requester', 'responder'] as const)('when the %s is lost', async (role) => {
    const relay = await useTestRelay()
    const joined = await relay.join()
    joined[role].webSocket.terminate()
    expect(await joined[role === 'requester' ? 'responder' : 'requester'].closed).toEqual(ended)
    expect(joined.ends.map(({ reason }) => reason)).toEqual([`${role} lost`])
  })

  test('when one side violates the protocol', async () => {
    const relay = await useTestRelay()
    const { other, socket, ends } = await relay.joinRaw()
    socket.write(Buffer.from([0x82, 0x01, 0x00]))
    expect(await other.closed).toEqual(ended)
    expect(ends.map(({ reason }) => reason)).toEqual(['responder failed: Invalid WebSocket frame: MASK must be set'])
  })

  test('when one side ends its half of the connection without a close frame', async () => {
    const relay = await useTestRelay()
    const { other, socket, ends } = await relay.joinRaw()
    socket.end(clientFrame({ opcode: 2, payload: Buffer.from('last') }))
    expect(await other.closed).toEqual(ended)
    expect(other.texts).toEqual(['last'])
    expect(ends).toEqual([{ reason: 'responder lost', requesterBytes: 0, responderBytes: 4 }])
    await until(() => relay.relay.sizes.closing === 0)
  })

  test('when one side closes within a message of the other', async () => {
    const relay = await useTestRelay()
    const { requester, responder, session } = await relay.join()
    requester.webSocket.send(Buffer.alloc(100_000), { fin: false })
    await until(() => session.requesterBytes === 100_000)
    responder.webSocket.close()
    expect(await requester.closed).toEqual(ended)
    expect(await responder.closed).toEqual({ code: 1005, reason: '' })
    expect(responder.messages).toEqual([])
  })

  test.each([
    ['a code that means no frame', [0x03, 0xee], 1002],
    ['half a code', [0x03], 1002],
    ['a code of its own', [0x0f, 0xa0], 4000],
  ])('when one closes with %s', async (_, payload, code) => {
    const relay = await useTestRelay()
    const { other, socket } = await relay.joinRaw()
    socket.write(clientFrame({ opcode: 8, payload: Buffer.from(payload) }))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(serverFrames(answer).map((frame) => [frame.opcode, frame.payload.readUInt16BE()])).toEqual([[8, code]])
    expect(await other.closed).toEqual(ended)
  })

  test('when its announcer ends it', async () => {
    const relay = await useTestRelay()
    const { requester, responder, session, ends } = await relay.join()
    responder.webSocket.send('frame')
    await requester.heard(1)
    session.end('no longer allowed')
    session.end('again')
    expect(await requester.closed).toEqual({ code: 1000, reason: 'no longer allowed' })
    expect(await responder.closed).toEqual(ended)
    expect(ends).toEqual([{ reason: 'no longer allowed', requesterBytes: 0, responderBytes: 5 }])
  })

  test('with the reason truncated to fit into a close frame', async () => {
    const relay = await useTestRelay()
    const { requester, session } = await relay.join()
    session.end(`a${'ü'.repeat(100)}`)
    expect(await requester.closed).toEqual({ code: 1000, reason: `a${'ü'.repeat(61)}` })
  })
})

test('input after the end is not passed on', async () => {
  const clock = manualClock()
  const relay = await useTestRelay({ clock })
  const { other, socket, session } = await relay.joinRaw()
  session.end('over')
  const [message, close] = [
    [0x82, 0x81, 0, 0, 0, 0, 1],
    [0x88, 0x80, 0, 0, 0, 0],
  ]
  socket.write(Buffer.from([...message, ...close]))
  expect(await other.closed).toEqual({ code: 1000, reason: 'over' })
  await until(() => relay.relay.sizes.closing === 0)
  expect([other.messages, session.responderBytes]).toEqual([[], 0])
})

test.each([
  [10_000, 'when the other one closed', ({ other }: Raw) => other.webSocket.close()],
  [
    2_500,
    'when the session was ended by the server: a right may have ended (T09)',
    ({ session }: Raw) => session.end(''),
  ],
])('a peer that does not finish the closing is dropped after %s ms %s', async (afterMs, _, end) => {
  const clock = manualClock()
  const relay = await useTestRelay({ clock })
  const joined = await relay.joinRaw()
  const { other, socket } = joined
  end(joined)
  await other.closed
  await until(() => relay.relay.sizes.closing === 1)
  clock.advance(afterMs - 1)
  expect([relay.relay.sizes.closing, socket.closed]).toEqual([1, false])
  clock.advance(1)
  await once(socket, 'close')
  await until(() => relay.relay.sizes.closing === 0)
})

test('an end reaches the fast side at once while the other side reads nothing', async () => {
  const clock = manualClock()
  const relay = await useTestRelay({ clock })
  const { requester, responder, session } = await relay.join()
  requester.webSocket.pause()
  for (let sent = 0; sent < 50; sent++) {
    responder.webSocket.send(Buffer.alloc(mebibyte))
  }
  await until(() => session.responderBytes > mebibyte)
  session.end('over')
  expect(await responder.closed).toEqual(ended)
  clock.advance(10_000)
  await until(() => relay.relay.sizes.closing === 0)
})

describe('pings', () => {
  /** Advances the clock by half a minute, and waits for all answers of `peers`. */
  const passHalfMinute = async (clock: ReturnType<typeof manualClock>, peers: readonly Peer[]) => {
    const pinged = peers.map((peer) => once(peer.webSocket, 'ping'))
    clock.advance(30_000)
    await Promise.all(pinged)
    const answered = peers.map((peer) => once(peer.webSocket, 'pong'))
    peers.forEach((peer) => peer.webSocket.ping())
    await Promise.all(answered)
  }

  test('that are answered keep an idle session open', async () => {
    const clock = manualClock()
    const relay = await useTestRelay({ clock })
    const { requester, responder, ends } = await relay.join()
    for (let count = 0; count < 5; count++) {
      await passHalfMinute(clock, [requester, responder])
    }
    expect(ends).toEqual([])
  })

  test('end the session after two are missed', async () => {
    const clock = manualClock()
    const relay = await useTestRelay({ clock })
    const { other, socket, ends } = await relay.joinRaw()
    await passHalfMinute(clock, [other])
    await passHalfMinute(clock, [other])
    expect(ends).toEqual([])
    const dropped = once(socket, 'close')
    clock.advance(30_000)
    expect(await other.closed).toEqual(ended)
    await dropped
    expect(ends.map(({ reason }) => reason)).toEqual(['responder does not answer'])
  })

  test('are not missed by a peer whose message arrives slowly', async () => {
    const clock = manualClock()
    const relay = await useTestRelay({ clock })
    const { other, socket, ends } = await relay.joinRaw()
    socket.write(Buffer.from([0x82, 0x80 | 6, 0, 0, 0, 0]))
    for (const byte of 'slowly') {
      const before = socket.bytesWritten
      socket.write(byte)
      await until(() => socket.bytesWritten > before)
      // A round trip of the other side: by then the byte has arrived, too.
      await passHalfMinute(clock, [other])
    }
    expect(await other.heard(1)).toEqual(['slowly'])
    expect(ends).toEqual([])
  })

  /** A requester that has stopped reading, while its responder keeps sending. */
  const blockRequester = async (relay: TestRelay) => {
    const joined = await relay.join()
    joined.requester.webSocket.pause()
    for (let sent = 0; sent < 150; sent++) {
      joined.responder.webSocket.send(Buffer.alloc(mebibyte))
    }
    await isStill(joined)
    return joined
  }

  /** Reads some messages and stops again, independent of the machine's speed. */
  const readMessages = (webSocket: WebSocket, count: number) =>
    new Promise<void>((resolve) => {
      let read = 0
      const handle = () => {
        read++
        if (read === count) {
          webSocket.off('message', handle).pause()
          resolve()
        }
      }
      webSocket.on('message', handle).resume()
    })

  const isStill = ({ session }: Announced) => steady(() => session.responderBytes)

  test.runIf(isNight)(
    'may be missed for longer behind output, and never by a sender that waits for the reader',
    async () => {
      const clock = manualClock()
      const relay = await useTestRelay({ clock })
      const { responder, requester, ends } = await blockRequester(relay)
      for (let count = 0; count < 10; count++) {
        clock.advance(30_000)
      }
      expect(ends).toEqual([])
      clock.advance(30_000)
      expect(ends.map(({ reason }) => reason)).toEqual(['requester does not answer'])
      expect(await responder.closed).toEqual(ended)
      requester.webSocket.resume()
      expect((await requester.closed).code).toBe(1006)
    },
  )

  test('are not missed by a peer that reads slowly', async () => {
    const clock = manualClock()
    const relay = await useTestRelay({ clock, options: { maxMissedPingsBehindOutput: 0 } })
    const blocked = await blockRequester(relay)
    const { requester, ends, session } = blocked
    for (let count = 0; count < 6; count++) {
      const before = session.responderBytes
      await readMessages(requester.webSocket, 3)
      await until(() => session.responderBytes > before)
      await isStill(blocked)
      clock.advance(30_000)
    }
    expect(ends).toEqual([])
    expect(session.responderBytes).toBeLessThan(150 * mebibyte)
  })
})

describe('the end of the relay', () => {
  test('drops every socket and notifies every announcer', async () => {
    const relay = await useTestRelay()
    const joined = await relay.join()
    const waiting = relay.announce()
    const alone = relay.responder(waiting)
    relay.connect(
      { sessionId: '00000000-0000-0000-0000-000000000001', accessToken: 'x', role: 'requester' },
      { identity: 'x' },
    )
    await relay.waits(2)
    relay.relay.close()
    const codes = (await Promise.all([joined.requester.closed, joined.responder.closed, alone.closed])).map(
      ({ code }) => code,
    )
    expect(codes).toEqual([1006, 1006, 1006])
    expect([...joined.ends, ...waiting.ends].map(({ reason }) => reason)).toEqual(['shutdown', 'shutdown'])
    await until(() => relay.relay.sizes.closing === 0)
    expect(relay.relay.sizes).toEqual(nothing)
  })

  test('rejects every later peer', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    relay.relay.close()
    expect(await relay.requester(announced).opened).toEqual({ status: 503, body: '' })
    expect(() => relay.announce()).toThrow(expect.objectContaining({ reason: 'closed' }))
  })
})
