import { describe, expect, test } from 'vitest'
import type { Rectangle } from '../../../../agent/platform/desktop/desktop.ts'
import { ScreenSender } from '../../../../agent/desktop/session/screen-sender.ts'
import { SentPicture } from '../../../../agent/desktop/session/sent-picture.ts'
import { Channel } from '../../../../shared/remote-control/channel.ts'
import { decodeEnvelope, encodeMessage } from '../../../../shared/remote-control/codec.ts'
import { messages, type DeviceMessage, type ViewerMessage } from '../../../../shared/remote-control/messages.ts'
import { defaultCaptureSettings } from '../../../../shared/remote-control/viewer.ts'
import { manualClock } from '../../../support/clock.ts'
import { steady, until } from '../../../support/until.ts'
import { MemoryDesktop } from './memory-desktop.ts'

const size = { x: 0, y: 0, width: 200, height: 150 }
const noise = (seed: number) => (x: number, y: number) => {
  const value = Math.imul(x * 7919 + y * 104_729 + seed * 31_337, 2_654_435_761)
  return [(value >>> 8) & 255, (value >>> 16) & 255, (value >>> 24) & 255] as const
}

test('over a slow link a change is captured when the link has transmitted the frames before, or when their acks arrive', async () => {
  const clock = manualClock()
  const desktop = new MemoryDesktop([size.width, size.height])
  desktop.fill(size, noise(4))
  const frames: Uint8Array[] = []
  const channel = new Channel<DeviceMessage, ViewerMessage>({
    clock,
    handlers: {},
    socket: {
      send: (bytes, onSent) => {
        frames.push(...(decodeEnvelope(bytes).dtoType === messages.ScreenRegions.number ? [bytes] : []))
        onSent()
      },
      close: () => {},
    },
    onEnd: () => {},
  })
  const ack = (receivedSize: number) =>
    channel.receive(encodeMessage('Ack', { receivedSize, sendTimestamp: 0n, waitingFrames: undefined }, 0n))
  // A short message shows the round trip of 50 ms.
  await channel.send('RemoteControlSessionError', { message: 'Hello.', isFatal: false })
  clock.advance(50)
  ack(100)
  const sender = new ScreenSender({ desktop, channel, clock, onFailure: () => {} })
  sender.apply(defaultCaptureSettings)
  await until(() => frames.length === 1)
  // The link takes 100 ms for the first frame.
  clock.advance(150)
  const firstBytes = frames[0]?.length ?? 0
  ack(firstBytes)
  const draw = (seed: number) => {
    desktop.fill(size, noise(seed))
    clock.advance(20)
  }
  draw(1)
  await until(() => frames.length === 2)
  const freeAt = clock.monotonic() + ((frames[1]?.length ?? 0) / firstBytes) * 100
  draw(2)
  draw(3)
  clock.advance(freeAt - clock.monotonic() - 10)
  expect(await steady(() => desktop.screen.captures, 40)).toBe(2)
  clock.advance(20)
  await until(() => frames.length === 3)
  expect(desktop.screen.captures).toBe(3)
  draw(4)
  expect(await steady(() => desktop.screen.captures, 40)).toBe(3)
  ack(frames[1]?.length ?? 0)
  ack(frames[2]?.length ?? 0)
  await until(() => frames.length === 4)
  await sender.close()
  channel.end('The test is over.')
})

describe('the search for moves in large pictures', () => {
  const large = { width: 1280, height: 800 }
  const whole: Rectangle = { x: 0, y: 0, ...large }
  const stride = large.width * 4
  const pictureOf = (at: (x: number, y: number) => number) => {
    const pixels = Buffer.alloc(stride * large.height)
    for (let y = 0; y < large.height; y++) {
      for (let x = 0; x < large.width; x++) {
        pixels.writeUInt32LE(Math.imul(at(x, y), 2_654_435_761) >>> 0, y * stride + x * 4)
      }
    }
    return { ...large, stride, pixels }
  }
  const scrolled = (rows: number) => pictureOf((x, y) => (x >> 3) * 5003 + y + rows)
  const film = (frame: number) => pictureOf((x, y) => x * 7919 + y * 104_729 + frame * 31_337)

  test('pauses during a film, and finds a scroll again after at most five captures', () => {
    const sent = new SentPicture(large)
    const show = (picture: ReturnType<typeof pictureOf>) => {
      const moves = sent.moves(picture, [whole])
      sent.changes(picture, [whole])
      return moves.length
    }
    sent.replace(scrolled(0))
    expect(show(scrolled(20))).toBeGreaterThan(0)
    for (let frame = 0; frame < 8; frame++) {
      expect(show(film(frame))).toBe(0)
    }
    show(scrolled(0))
    const found = [20, 40, 60, 80, 100, 120, 140].map((rows) => show(scrolled(rows)) > 0)
    expect(found.indexOf(true)).toBeGreaterThan(0)
    expect(found.indexOf(true)).toBeLessThanOrEqual(5)
    expect(found.at(-1)).toBe(true)
  })
})
