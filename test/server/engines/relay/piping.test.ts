import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { RelayOptions } from '../../../../server/engines/relay/relay.ts'
import { clientFrame, serverFrames } from '../../../support/client-frames.ts'
import { isNight } from '../../../support/night.ts'
import { useTestRelay } from '../../../support/test-relay.ts'
import { steady, until } from '../../../support/until.ts'

const mebibyte = 1024 * 1024

describe('a message', () => {
  test('becomes one binary message to the other side, in order, both ways', async () => {
    const relay = await useTestRelay()
    const { requester, responder, session } = await relay.join()
    const sizes = [1, 125, 126, 65_535, 65_536, 3, 1_000_000, 2]
    const sent = sizes.map((size) => randomBytes(size))
    for (const message of sent) {
      requester.webSocket.send(message)
      responder.webSocket.send(message)
    }
    await Promise.all([requester.received(sizes.length), responder.received(sizes.length)])
    for (const peer of [requester, responder]) {
      expect(peer.messages.map(({ data, isBinary }, index) => [isBinary, data.equals(sent[index]!)])).toEqual(
        sizes.map(() => [true, true]),
      )
    }
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect([session.requesterBytes, session.responderBytes, session.isRunning]).toEqual([total, total, true])
  })

  test('of text arrives as binary, even with invalid UTF-8', async () => {
    const relay = await useTestRelay()
    const { requester, responder } = await relay.join()
    requester.webSocket.send('Grüße')
    requester.webSocket.send(Buffer.from([0xff, 0xfe]), { binary: false })
    await responder.received(2)
    expect(responder.messages).toEqual([
      { data: Buffer.from('Grüße'), isBinary: true },
      { data: Buffer.from([0xff, 0xfe]), isBinary: true },
    ])
  })

  test('in fragments, with a ping between them, arrives whole', async () => {
    const relay = await useTestRelay()
    const { requester, responder } = await relay.join()
    requester.webSocket.send('one ', { fin: false })
    requester.webSocket.ping()
    requester.webSocket.send('', { fin: false })
    requester.webSocket.send('message')
    requester.webSocket.send('another')
    expect(await responder.heard(2)).toEqual(['one message', 'another'])
  })

  test('that is empty is dropped', async () => {
    const relay = await useTestRelay()
    const { requester, responder } = await relay.join()
    requester.webSocket.send('')
    requester.webSocket.send('after')
    expect(await responder.heard(1)).toEqual(['after'])
  })

  test('sent right after the upgrade is not lost', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    const requester = relay.requester(announced)
    requester.webSocket.on('open', () => requester.webSocket.send('early'))
    await relay.waits(1)
    const responder = relay.responder(announced)
    responder.webSocket.on('open', () => responder.webSocket.send('too'))
    expect([await responder.heard(1), await requester.heard(1)]).toEqual([['early'], ['too']])
  })

  test('among thousands sent at once is not lost', async () => {
    const relay = await useTestRelay()
    const { requester, responder } = await relay.join()
    const texts = Array.from({ length: 20_000 }, (_, index) => String(index))
    texts.forEach((text) => requester.webSocket.send(text))
    expect(await responder.heard(texts.length)).toEqual(texts)
  })

  test.runIf(isNight)('of 64 MiB arrives, and one byte more ends the session', async () => {
    const relay = await useTestRelay()
    const { requester, responder, ends } = await relay.join()
    responder.webSocket.send(Buffer.alloc(64 * mebibyte, 7))
    await requester.received(1)
    expect(requester.messages[0]!.data.equals(Buffer.alloc(64 * mebibyte, 7))).toBe(true)
    responder.webSocket.send(Buffer.alloc(64 * mebibyte + 1))
    expect((await responder.closed).code).toBe(1009)
    expect(await requester.closed).toEqual({ code: 1000, reason: 'Session ended.' })
    expect(requester.messages).toHaveLength(1)
    expect(ends).toEqual([
      { reason: 'responder failed: Max payload size exceeded', requesterBytes: 0, responderBytes: 64 * mebibyte },
    ])
  })

  test('with a giant announced length is rejected before it arrives', async () => {
    const relay = await useTestRelay()
    const { other, socket } = await relay.joinRaw()
    socket.write(Buffer.from([0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]))
    expect(await other.closed).toEqual({ code: 1000, reason: 'Session ended.' })
  })

  test('in fragments that are too large together is rejected', async () => {
    const relay = await useTestRelay({ options: { maxMessageBytes: 100 } })
    const { requester, responder } = await relay.join()
    requester.webSocket.send(Buffer.alloc(60), { fin: false })
    requester.webSocket.send(Buffer.alloc(60))
    expect((await requester.closed).code).toBe(1009)
    await responder.closed
  })
})

describe('a message of 20 MiB', () => {
  const pieceCount = 20
  const pieceOf = (index: number) => Buffer.alloc(mebibyte, index)
  const begin = clientFrame({ opcode: 2, payload: Buffer.alloc(pieceCount * mebibyte) }).subarray(0, 14)
  /** Masked, as on the wire. */
  const wire = (index: number) => clientFrame({ opcode: 2, payload: pieceOf(index) }).subarray(14)

  test.runIf(isNight)('is passed on while it arrives, and not buffered', async () => {
    const relay = await useTestRelay()
    const { other, socket, session } = await relay.joinRaw('requester')
    let [received, isWhole] = [0, false]
    other.webSocket.on('message', () => (isWhole = true))
    const reader = (other.webSocket as unknown as { _socket: Socket })._socket
    reader.on('data', (chunk) => (received += chunk.length))
    socket.write(begin)
    for (let index = 0; index < pieceCount; index++) {
      socket.write(wire(index))
      // Sends nothing more until nearly all of it has arrived.
      await until(() => received > (index + 1) * mebibyte - 20_000)
      expect(relay.heldBytes).toBeLessThan(mebibyte)
      expect([isWhole && index < pieceCount - 1, session.requesterBytes]).toEqual([false, (index + 1) * mebibyte])
    }
    await other.received(1)
    const whole = Buffer.concat(Array.from({ length: pieceCount }, (_, index) => pieceOf(index)))
    expect(other.messages[0]!.data.equals(whole)).toBe(true)
  })

  test.each<[string, Partial<RelayOptions>, number]>([
    ['is not buffered', {}, mebibyte],
    ['has one chunk in memory above the limit of all sessions', { maxBufferedBytesOfAll: 0 }, 200_000],
  ])('to a peer that does not read %s', async (_, options, most) => {
    const relay = await useTestRelay({ options })
    const { other, socket, session } = await relay.joinRaw('requester')
    other.webSocket.pause()
    socket.write(begin)
    for (let index = 0; index < pieceCount; index++) {
      socket.write(wire(index))
    }
    await until(() => relay.heldBytes > 50_000)
    const held: number[] = []
    await steady(() => held[held.push(relay.heldBytes) - 1], 30)
    expect(Math.max(...held)).toBeLessThan(most)
    expect(other.messages).toEqual([])
    other.webSocket.resume()
    await other.received(1)
    expect(session.requesterBytes).toBe(pieceCount * mebibyte)
  })
})

describe('pings of a peer', () => {
  test('are answered with their payload, also within a message', async () => {
    const relay = await useTestRelay()
    const { other, socket } = await relay.joinRaw()
    socket.write(clientFrame({ opcode: 2, payload: Buffer.from('one '), isFinal: false }))
    socket.write(clientFrame({ opcode: 9, payload: Buffer.from('there?') }))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(serverFrames(answer)).toEqual([{ opcode: 10, isFinal: true, payload: Buffer.from('there?') }])
    socket.write(clientFrame({ opcode: 0, payload: Buffer.from('message') }))
    expect(await other.heard(1)).toEqual(['one message'])
  })

  test('are no longer answered while the peer reads no pongs', async () => {
    const relay = await useTestRelay()
    const { other, socket } = await relay.joinRaw()
    socket.pause()
    const pings = Buffer.concat(
      Array.from({ length: 500 }, () => clientFrame({ opcode: 9, payload: Buffer.alloc(125) })),
    )
    for (let count = 0; count < 250; count++) {
      await new Promise((resolve) => socket.write(pings, resolve))
      expect(relay.heldBytes).toBeLessThan(mebibyte)
    }
    // Reading continues.
    socket.write(clientFrame({ opcode: 2, payload: Buffer.from('here') }))
    expect(await other.heard(1)).toEqual(['here'])
  })
})

test('a message sent byte by byte arrives', async () => {
  const relay = await useTestRelay()
  const { other, socket } = await relay.joinRaw()
  socket.setNoDelay()
  for (const byte of clientFrame({ opcode: 2, payload: Buffer.alloc(130, 'slow') })) {
    socket.write(Buffer.from([byte]))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await other.heard(1)).toEqual([Buffer.alloc(130, 'slow').toString()])
})

test('messages both ways at once arrive whole', async () => {
  const relay = await useTestRelay()
  const { requester, responder } = await relay.join()
  const sent = Array.from({ length: 100 }, (_, index) => randomBytes((index * 7919) % 150_000 || 1))
  for (const each of sent) {
    requester.webSocket.send(each)
    responder.webSocket.send(each)
  }
  await Promise.all([requester.received(sent.length), responder.received(sent.length)])
  for (const { messages } of [requester, responder]) {
    expect(messages.every(({ data }, index) => data.equals(sent[index]!))).toBe(true)
  }
})

describe('a slow reader', () => {
  test('pauses the sender, keeps memory bounded, and gets everything when it reads again', async () => {
    const relay = await useTestRelay()
    const { requester, responder, session } = await relay.join()
    requester.webSocket.pause()
    const message = randomBytes(mebibyte)
    const count = 80
    for (let sent = 0; sent < count; sent++) {
      responder.webSocket.send(message)
    }
    // Buffers of the system for sockets, and little of ours.
    expect(await steady(() => session.responderBytes)).toBeLessThan(40 * mebibyte)
    // The other direction is not stopped.
    requester.webSocket.send('meanwhile')
    expect(await responder.heard(1)).toEqual(['meanwhile'])
    requester.webSocket.resume()
    await requester.received(count)
    expect(requester.messages.every(({ data }) => data.equals(message))).toBe(true)
  })

  test('does not pause other sessions', async () => {
    const relay = await useTestRelay()
    const [slow, quick] = [await relay.join(), await relay.join()]
    slow.requester.webSocket.pause()
    for (let sent = 0; sent < 50; sent++) {
      slow.responder.webSocket.send(Buffer.alloc(mebibyte))
    }
    quick.responder.webSocket.send('quick')
    expect(await quick.requester.heard(1)).toEqual(['quick'])
  })
})
