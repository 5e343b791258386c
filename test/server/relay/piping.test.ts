import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { useTestRelay } from '../../support/test-relay.ts'
import { until } from '../../support/until.ts'

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

  test('of text arrives as binary, even where it is no text', async () => {
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

  test('in fragments, with a ping between them, arrives as one', async () => {
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

  test('that is sent at once when the answer comes is not lost', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    const requester = relay.requester(announced)
    requester.webSocket.on('open', () => requester.webSocket.send('early'))
    await relay.waits(1)
    const responder = relay.responder(announced)
    responder.webSocket.on('open', () => responder.webSocket.send('too'))
    expect([await responder.heard(1), await requester.heard(1)]).toEqual([['early'], ['too']])
  })

  test('of which thousands come at once, all arrive', async () => {
    const relay = await useTestRelay()
    const { requester, responder } = await relay.join()
    const texts = Array.from({ length: 20_000 }, (_, index) => String(index))
    texts.forEach((text) => requester.webSocket.send(text))
    expect(await responder.heard(texts.length)).toEqual(texts)
  })

  test('of 64 MiB arrives, and one byte more ends the session', async () => {
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

  test('that is announced with a giant length is refused before it comes', async () => {
    const relay = await useTestRelay()
    const announced = relay.announce()
    const requester = relay.requester(announced)
    await relay.waits(1)
    const { sessionId, accessToken } = announced
    const socket = await relay.raw(relay.addressOf({ sessionId, accessToken, role: 'responder' }))
    await requester.opened
    socket.write(Buffer.from([0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]))
    expect(await requester.closed).toEqual({ code: 1000, reason: 'Session ended.' })
  })

  test('in fragments that are too large together is refused', async () => {
    const relay = await useTestRelay({ options: { maxMessageBytes: 100 } })
    const { requester, responder } = await relay.join()
    requester.webSocket.send(Buffer.alloc(60), { fin: false })
    requester.webSocket.send(Buffer.alloc(60))
    expect((await requester.closed).code).toBe(1009)
    await responder.closed
  })
})

describe('a slow reader', () => {
  test('stops the sender, keeps memory bounded, and gets everything when it reads again', async () => {
    const relay = await useTestRelay()
    const { requester, responder, session } = await relay.join()
    requester.webSocket.pause()
    const message = randomBytes(mebibyte)
    const count = 200
    for (let sent = 0; sent < count; sent++) {
      responder.webSocket.send(message)
    }
    let before = -1
    await until(async () => {
      const isStill = session.responderBytes === before
      before = session.responderBytes
      await new Promise((resolve) => setTimeout(resolve, 200))
      return isStill
    })
    // What the system keeps for sockets, and a little of ours.
    expect(session.responderBytes).toBeLessThan(40 * mebibyte)
    // The other direction is not stopped.
    requester.webSocket.send('meanwhile')
    expect(await responder.heard(1)).toEqual(['meanwhile'])
    requester.webSocket.resume()
    await requester.received(count)
    expect(requester.messages.every(({ data }) => data.equals(message))).toBe(true)
  })

  test('does not stop other sessions', async () => {
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
