import { decode } from '@msgpack/msgpack'
import { describe, expect, test } from 'vitest'
import { Channel, windowBytes, type MessageHandlers } from '../../../shared/remote-control/channel.ts'
import { decodeEnvelope, decodePayload, encodeFrame, encodeMessage } from '../../../shared/remote-control/codec.ts'
import {
  messages,
  nameOf,
  type DeviceMessage,
  type ScreenRegionDto,
  type ViewerMessage,
} from '../../../shared/remote-control/messages.ts'
import { manualClock } from '../../support/clock.ts'

/** Waits for resolved promises. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

function deviceEnd(handlers: MessageHandlers<ViewerMessage> = {}) {
  const clock = manualClock()
  const sent: Uint8Array[] = []
  const left: (() => void)[] = []
  const ends: [string, boolean][] = []
  let closed: boolean | undefined
  const channel = new Channel<DeviceMessage, ViewerMessage>({
    clock,
    handlers,
    socket: {
      send: (bytes, onSent) => {
        sent.push(bytes)
        left.push(onSent)
        onSent()
      },
      close: (isBroken) => (closed = isBroken),
    },
    onEnd: (reason, isBroken) => ends.push([reason, isBroken]),
  })
  const names = () => sent.map((bytes) => nameOf(decodeEnvelope(bytes).dtoType))
  const ack = (bytes: Uint8Array | undefined) => {
    const { sendTimestamp } = decodeEnvelope(bytes ?? new Uint8Array())
    channel.receive(encodeMessage('Ack', { receivedSize: bytes?.length ?? 0, sendTimestamp }, 0n))
  }
  return { channel, clock, sent, names, ack, ends, isClosed: () => closed }
}

const region = (bytes: number): ScreenRegionDto => ({
  x: 0,
  y: 0,
  width: 1,
  height: 1,
  encodedImage: new Uint8Array(bytes),
  imageFormat: 0,
})
const sendRegion = (channel: Channel<DeviceMessage, ViewerMessage>, bytes: number) =>
  channel.sendFrame(() => Promise.resolve({ regions: [region(bytes)] }))

describe('Channel', () => {
  test('an ack reports the number of queued frames, and omits a zero', () => {
    let waiting = 0
    const acks: Uint8Array[] = []
    const channel = new Channel<ViewerMessage, DeviceMessage>({
      clock: manualClock(),
      handlers: {},
      waitingFrames: () => waiting,
      socket: { send: (bytes) => void acks.push(decodeEnvelope(bytes).payload), close: () => {} },
      onEnd: () => {},
    })
    const frame = encodeFrame({ regions: [region(1)] }, 1n)
    channel.receive(frame)
    waiting = 3
    channel.receive(frame)
    const told = acks.map((payload) => decode(payload, { useBigInt64: true }))
    expect(told[0]).toEqual({ ReceivedSize: frame.length, SendTimestamp: 1 })
    expect(told[1]).toEqual({ ReceivedSize: frame.length, SendTimestamp: 1, WaitingFrames: 3 })
  })

  test('a peer that acks without reading gets nothing more, which would fill memory', async () => {
    const left: (() => void)[] = []
    const channel = new Channel<DeviceMessage, ViewerMessage>({
      clock: manualClock(),
      handlers: {},
      socket: { send: (_, onSent) => void left.push(onSent), close: () => {} },
      onEnd: () => {},
    })
    const ackMuch = () => channel.receive(encodeMessage('Ack', { receivedSize: 2_000_000_000, sendTimestamp: 1n }, 1n))
    for (let frame = 0; frame < 5; frame++) {
      void sendRegion(channel, windowBytes)
      await settle()
      ackMuch()
      await settle()
    }
    expect(left.length).toBe(1)
    left[0]?.()
    await settle()
    expect(left.length).toBe(2)
    channel.end('')
  })

  test('T35: a peer that sends without reading megabytes of acks ends the session, with the reason', () => {
    let unsent = 0
    const ends: string[] = []
    const channel = new Channel<ViewerMessage, DeviceMessage>({
      clock: manualClock(),
      handlers: {},
      socket: {
        send(bytes, onSent) {
          unsent += bytes.length
          onSent()
        },
        unsentBytes: () => unsent,
        close: () => {},
      },
      onEnd: (reason) => ends.push(reason),
    })
    const message = encodeMessage('WindowsSessionSwitched', {}, 1n)
    for (let count = 0; count < 200_000; count++) {
      channel.receive(message)
    }
    expect(ends).toEqual(['The other side sends messages without reading the acknowledgements.'])
    expect(unsent).toBeLessThan(5 * 1024 * 1024)
  })

  test('a peer that reports no queued frames has none', () => {
    const { channel, ack } = deviceEnd()
    channel.receive(encodeMessage('Ack', { receivedSize: 1, sendTimestamp: 1n, waitingFrames: 7 }, 1n))
    expect(channel.framesAtPeer).toBe(7)
    ack(encodeFrame({ regions: [region(1)] }, 1n))
    expect(channel.framesAtPeer).toBe(0)
  })

  test('a message is acked with its whole length and its own timestamp, before it is handled', () => {
    const order: string[] = []
    const { channel, sent, names } = deviceEnd({
      TypeText: ({ text }) => order.push(`${names().join()} ${text}`),
    })
    const bytes = encodeMessage('TypeText', { text: 'a' }, 2n ** 60n + 1n)
    channel.receive(bytes)
    expect(order).toEqual(['Ack a'])
    expect(decodePayload('Ack', decodeEnvelope(sent[0] ?? bytes).payload)).toEqual({
      receivedSize: bytes.length,
      sendTimestamp: 2n ** 60n + 1n,
    })
  })

  test('acks are not acked, empty messages are ignored', () => {
    const { channel, sent } = deviceEnd()
    channel.receive(encodeMessage('Ack', { receivedSize: 1, sendTimestamp: 1n }, 1n))
    channel.receive(new Uint8Array())
    expect(sent).toEqual([])
  })

  test('unknown numbers, retired ones and messages of the wrong side are acked and ignored', () => {
    const { channel, names, ends } = deviceEnd()
    const template = encodeMessage('RequestKeyFrame', {}, 1n)
    for (const number of [0, 1, 38, 99, 127, messages.ScreenRegions.number]) {
      const bytes = Uint8Array.from(template)
      bytes[9] = number
      channel.receive(bytes)
    }
    expect(names()).toEqual(Array.from({ length: 6 }, () => 'Ack'))
    expect(ends).toEqual([])
  })

  test('an invalid message ends the session and drops the connection', () => {
    const { channel, ends, isClosed } = deviceEnd({ TypeText: () => {} })
    channel.receive(Buffer.from('hello'))
    channel.receive(Buffer.from('hello'))
    expect(ends).toEqual([[expect.stringContaining('could not be read'), true]])
    expect(isClosed()).toBe(true)
  })

  test('an invalid payload is acked, then ends the session', () => {
    const { channel, ends, names } = deviceEnd({ TypeText: () => {} })
    const wrong = Uint8Array.from(encodeMessage('RequestKeyFrame', {}, 1n))
    wrong[9] = messages.TypeText.number
    wrong[20] = 0x01
    channel.receive(wrong)
    expect(names()).toEqual(['Ack'])
    expect(ends).toEqual([['A message could not be read: TypeText: expected a map, found format 0x01.', true]])
  })

  test('without acks one message may exceed the window, and the next is sent half a minute later', async () => {
    const { channel, clock, sent } = deviceEnd()
    void sendRegion(channel, windowBytes)
    await settle()
    void sendRegion(channel, windowBytes)
    void sendRegion(channel, windowBytes)
    await settle()
    expect(sent).toHaveLength(1)
    clock.advance(29_999)
    await settle()
    expect(sent).toHaveLength(1)
    clock.advance(1)
    await settle()
    expect(sent).toHaveLength(2)
    clock.advance(30_000)
    await settle()
    expect(sent).toHaveLength(3)
  })

  test('an ack releases the next message at once, and measures the latency', async () => {
    const { channel, clock, sent, ack } = deviceEnd()
    void sendRegion(channel, windowBytes)
    void sendRegion(channel, 1)
    await settle()
    clock.advance(40)
    expect(sent).toHaveLength(1)
    ack(sent[0])
    await settle()
    expect(sent).toHaveLength(2)
    expect(channel.latencyMs).toBe(40)
    expect(channel.unackedBytes).toBe(sent[1]?.length)
  })

  test('acks with too large or negative sizes do not widen the window', async () => {
    const { channel, sent } = deviceEnd()
    const ackOf = (receivedSize: number) =>
      channel.receive(encodeMessage('Ack', { receivedSize, sendTimestamp: -5n }, 0n))
    ackOf(1e9)
    void sendRegion(channel, windowBytes)
    await settle()
    ackOf(-2e9)
    void sendRegion(channel, 1)
    await settle()
    expect(sent).toHaveLength(1)
  })

  test('a frame is captured when the window has room, not before', async () => {
    const { channel, sent, ack } = deviceEnd()
    void sendRegion(channel, windowBytes)
    let isMade = false
    void channel.sendFrame(() => {
      isMade = true
      return Promise.resolve({ regions: [] })
    })
    await settle()
    expect(isMade).toBe(false)
    ack(sent[0])
    await settle()
    expect([isMade, sent.length]).toEqual([true, 1])
  })

  test('a queued state is replaced by a newer one', async () => {
    const { channel, sent, names, ack } = deviceEnd()
    void sendRegion(channel, windowBytes)
    await settle()
    const metrics = (fps: number) => ({ fps, captureMode: '', currentQuality: 1, extraData: new Map<string, string>() })
    const first = channel.send('CaptureMetricsChanged', metrics(1))
    void channel.send('ToastNotification', { message: 'a', severity: 0 })
    void channel.send('CaptureMetricsChanged', metrics(2))
    expect(await first).toBe(false)
    ack(sent[0])
    await settle()
    expect(names()).toEqual(['ScreenRegions', 'CaptureMetricsChanged', 'ToastNotification'])
    expect(decodePayload('CaptureMetricsChanged', decodeEnvelope(sent[1] ?? new Uint8Array()).payload).fps).toBe(2)
  })

  test('a peer that reads nothing, while thousands of messages are queued, is dropped', async () => {
    const { channel, ends } = deviceEnd()
    void sendRegion(channel, windowBytes)
    await settle()
    const answers = Array.from({ length: 5000 }, () => channel.send('ToastNotification', { message: 'a', severity: 0 }))
    expect(ends).toEqual([['The other side does not read its messages.', true]])
    expect(new Set(await Promise.all(answers))).toEqual(new Set([false]))
  })

  test('a message not flushed after half a minute ends the session', () => {
    const clock = manualClock()
    const ends: string[] = []
    const channel = new Channel<DeviceMessage, ViewerMessage>({
      clock,
      handlers: {},
      socket: { send: () => {}, close: () => {} },
      onEnd: (reason) => ends.push(reason),
    })
    channel.receive(encodeMessage('RequestKeyFrame', {}, 1n))
    clock.advance(30_000)
    expect(ends).toEqual(['The connection is stalled.'])
  })

  test('the last message does not wait for the window', async () => {
    const { channel, names, ends, isClosed } = deviceEnd()
    void sendRegion(channel, windowBytes)
    await settle()
    const waiting = sendRegion(channel, 1)
    channel.sendLast('RemoteControlSessionError', { message: 'gone', isFatal: true }, 'gone')
    expect(await waiting).toBe(false)
    expect(names()).toEqual(['ScreenRegions', 'RemoteControlSessionError'])
    expect([ends, isClosed()]).toEqual([[['gone', false]], false])
  })

  test('sent bytes of the last second are reported as megabits', async () => {
    const { channel, clock } = deviceEnd()
    await sendRegion(channel, 124_900)
    expect(channel.sentMbps).toBeCloseTo(1, 1)
    clock.advance(2000)
    expect(channel.sentMbps).toBe(0)
  })
})
