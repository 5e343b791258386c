import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock, type Clock } from '../../../../agent/base/clock.ts'
import { Pace } from '../../../../agent/desktop/session/frame-times.ts'
import { decodeEnvelope, encodeMessage } from '../../../../shared/remote-control/codec.ts'
import { messages } from '../../../../shared/remote-control/messages.ts'
import { defaultCaptureSettings } from '../../../../shared/remote-control/viewer.ts'
import { manualClock } from '../../../support/clock.ts'
import { steady, until } from '../../../support/until.ts'
import { MemoryDesktop } from './memory-desktop.ts'
import { runQuietly, startRelay } from './scene.ts'

/** Each picture exceeds the limit for bytes in flight. */
const size = { x: 0, y: 0, width: 640, height: 480 }
const noise = (seed: number) => (x: number, y: number) => {
  const value = Math.imul(x * 7919 + y * 104_729 + seed * 31_337, 2_654_435_761)
  return [(value >>> 8) & 255, (value >>> 16) & 255, (value >>> 24) & 255] as const
}

let stop = async () => {}
afterEach(() => stop())

/** Starts a device that draws noise, and a viewer that acknowledges only on request. */
async function start(clock: Clock & { advance?(ms: number): void }) {
  const relay = await startRelay()
  const desktop = new MemoryDesktop([size.width, size.height])
  desktop.fill(size, noise(0))
  const ended = runQuietly(desktop, relay.uri, clock)
  const socket = new WebSocket(relay.uri)
  socket.on('error', () => {})
  const frames: Buffer[] = []
  const others: Buffer[] = []
  socket.on('message', (bytes: Buffer) => {
    const { dtoType } = decodeEnvelope(bytes)
    ;(dtoType === messages.ScreenRegions.number ? frames : others).push(bytes)
  })
  await once(socket, 'open')
  socket.send(encodeMessage('UpdateCaptureSettings', defaultCaptureSettings, 0n))
  stop = async () => {
    relay.stop()
    await ended
  }
  const ack = (bytes: Buffer | undefined, waitingFrames?: number) => {
    const { sendTimestamp } = decodeEnvelope(bytes ?? Buffer.alloc(0))
    socket.send(encodeMessage('Ack', { receivedSize: bytes?.length ?? 0, sendTimestamp, waitingFrames }, 0n))
  }
  let seed = 1
  const draw = async (times: number, onDrawn = () => {}) => {
    for (let step = 0; step < times; step++) {
      desktop.fill(size, noise(seed++))
      clock.advance?.(20)
      await steady(() => frames.length, 2)
      onDrawn()
    }
  }
  return { desktop, frames, others, ack, draw }
}

describe('Pace', () => {
  test('sends fewer frames while the viewer queues them, at least four a second, and more again afterwards', () => {
    const pace = new Pace()
    const after = (frames: number, waiting: number) => {
      for (let frame = 0; frame < frames; frame++) {
        pace.follow(waiting)
      }
      return Math.round(1000 / pace.intervalMs)
    }
    expect(after(10, 0)).toBe(60)
    const behind = after(5, 4)
    expect(behind).toBeLessThan(40)
    expect(after(10, 1)).toBeLessThan(behind)
    expect(after(100, 50)).toBe(4)
    expect(after(10, 2)).toBe(4)
    expect(after(60, 0)).toBe(60)
  })
})

describe('a viewer that is slow', () => {
  test('to draw gets fewer frames than a fast viewer', async () => {
    const { frames, ack, draw } = await start(manualClock())
    await until(() => frames.length > 0)
    const framesWhile = async (waitingFrames: number) => {
      const before = frames.length
      let acked = before - 1
      await draw(30, () => {
        for (; acked < frames.length; acked++) {
          ack(frames[acked], waitingFrames)
        }
      })
      return frames.length - before
    }
    const quick = await framesWhile(0)
    const slow = await framesWhile(20)
    expect(slow).toBeLessThan(quick)
  })

  test('gets a frame for each ack, captured after the ack', async () => {
    const { desktop, frames, ack, draw } = await start(manualClock())
    for (let round = 1; round <= 4; round++) {
      await until(() => frames.length === round)
      await draw(10)
      expect([frames.length, desktop.screen.captures]).toEqual([round, round])
      ack(frames.at(-1))
    }
  })

  test('that never acks gets one message each half minute, and a queued state is replaced by a newer one', async () => {
    const waits = new Set<() => void>()
    const passHalfMinute = () => waits.forEach((run) => run())
    const clock: Clock = {
      ...systemClock,
      after: (delayMs, run) => {
        if (delayMs !== 30_000) {
          return systemClock.after(delayMs, run)
        }
        const wait = () => {
          waits.delete(wait)
          run()
        }
        waits.add(wait)
        return () => waits.delete(wait)
      },
      every: (intervalMs, run) => systemClock.every(intervalMs === 3000 ? 20 : intervalMs, run),
    }
    const { desktop, frames, others, draw } = await start(clock)
    await until(() => frames.length === 1)
    await draw(20)
    await steady(() => frames.length + desktop.screen.captures, 40)
    expect([frames.length, desktop.screen.captures]).toEqual([1, 1])
    const before = others.length
    for (let count = 1; count <= 2; count++) {
      passHalfMinute()
      await until(() => frames.length + others.length === 1 + before + count)
      expect(await steady(() => frames.length + others.length, 10)).toBe(1 + before + count)
    }
    const metrics = others.filter((bytes) => decodeEnvelope(bytes).dtoType === messages.CaptureMetricsChanged.number)
    expect([frames.length, metrics.length]).toEqual([2, 1])
  })
})
