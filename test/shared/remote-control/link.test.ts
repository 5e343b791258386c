import { describe, expect, test } from 'vitest'
import { Link } from '../../../shared/remote-control/link.ts'

/** Sends messages over a simulated link; `next` returns when the next message is sent, from the estimated queue. */
function send(
  link: Link,
  { mbps, roundTripMs }: { mbps: number; roundTripMs: number },
  sizes: readonly number[],
  frameMs: number,
) {
  let now = 0
  let freeAt = 0
  const acks: number[] = []
  const ackUntil = (time: number) => {
    while ((acks[0] ?? Number.POSITIVE_INFINITY) <= time) {
      link.acked(acks.shift() as number)
    }
  }
  const queues: number[] = []
  for (const bytes of sizes) {
    // Sends when the estimated queue is shorter than the time to make a frame.
    do {
      now++
      ackUntil(now)
    } while (link.queueMs(now) > frameMs)
    now += frameMs
    ackUntil(now)
    queues.push(Math.max(0, freeAt - now))
    freeAt = Math.max(freeAt, now) + (bytes * 8) / (mbps * 1000)
    acks.push(freeAt + roundTripMs)
    link.sent(now, bytes)
  }
  return { queues, mbps: (sizes.slice(20).reduce((sum, bytes) => sum + bytes, 0) * 8) / 1000 / now }
}

const frames = (count: number, bytes: number) => [100, 100, ...Array.from({ length: count }, () => bytes)]

describe('Link', () => {
  test.each([
    [5, 90_000, 20],
    [20, 90_000, 20],
    [20, 30_000, 5],
  ])('at %s Mbit/s, frames of %s bytes that take %s ms use the link without a long queue', (mbps, bytes, frameMs) => {
    const link = new Link()
    const { queues, mbps: used } = send(link, { mbps, roundTripMs: 50 }, frames(200, bytes), frameMs)
    const transmissionMs = (bytes * 8) / (mbps * 1000)
    expect(Math.max(...queues.slice(60))).toBeLessThan(transmissionMs / 2 + 5)
    expect(used).toBeGreaterThan(mbps * 0.75)
  })

  test('an idle link, a link of unknown rate and a fast link have no queue', () => {
    const link = new Link()
    expect(link.queueMs(0)).toBe(0)
    link.sent(0, 1_000_000)
    expect(link.queueMs(1)).toBe(0)
    link.acked(2)
    link.sent(10, 1_000_000)
    expect(link.queueMs(10)).toBeLessThan(1)
    link.acked(12)
    expect(link.queueMs(12)).toBe(0)
    link.acked(13)
  })

  test('follows a link that becomes slower or faster, or whose route becomes longer', () => {
    const link = new Link()
    let now = 0
    const queueAfter = (msPerFrame: number, roundTripMs = 50) => {
      for (let count = 0; count < 300; count++) {
        const bytes = count % 10 === 0 ? 100 : 50_000
        link.sent(now, bytes)
        now += roundTripMs + (bytes * msPerFrame) / 50_000
        link.acked(now)
      }
      link.sent(now, 50_000)
      const queue = link.queueMs(now)
      link.acked((now += msPerFrame + roundTripMs))
      return queue
    }
    expect(queueAfter(20)).toBeCloseTo(20, 0)
    expect(queueAfter(200)).toBeCloseTo(200, 0)
    expect(queueAfter(20)).toBeCloseTo(20, 0)
    expect(queueAfter(20, 150)).toBeCloseTo(20, 0)
    expect(queueAfter(20)).toBeCloseTo(20, 0)
  })
})
