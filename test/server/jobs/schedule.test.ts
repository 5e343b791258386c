import { describe, expect, test } from 'vitest'
import type { App } from '../../../server/call/call.ts'
import { startJobs, type Job } from '../../../server/jobs.ts'
import { manualClock } from '../../support/clock.ts'
import { createTestLog } from '../../support/log.ts'

/** Jobs need nothing of the app but its clock and its log here. */
function started(...schedule: Job[]) {
  const clock = manualClock()
  const log = createTestLog()
  const stop = startJobs({ clock, log } as unknown as App, schedule)
  return { clock, log, stop }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A job that ends on request. */
function heldJob() {
  const ends: (() => void)[] = []
  const job: Job = { name: 'held', everyMs: 1_000, run: () => new Promise((resolve) => ends.push(resolve)) }
  return { job, ends }
}

describe('a job', () => {
  test('runs at the start and then at its interval', async () => {
    let runs = 0
    const { clock } = started({ name: 'counted', everyMs: 1_000, run: async () => void runs++ })
    await settled()
    expect(runs).toBe(1)
    clock.advance(999)
    await settled()
    expect(runs).toBe(1)
    clock.advance(1)
    await settled()
    expect(runs).toBe(2)
  })

  test('never runs twice at the same time', async () => {
    const { job, ends } = heldJob()
    const { clock } = started(job)
    await settled()
    clock.advance(1_000)
    clock.advance(1_000)
    await settled()
    expect(ends).toHaveLength(1)
    ends[0]!()
    await settled()
    clock.advance(1_000)
    await settled()
    expect(ends).toHaveLength(2)
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('disk full'))],
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
  ])('that %s is logged, runs again and does not stop other jobs', async (_, run) => {
    let runs = 0
    const failing = { name: 'failing', everyMs: 1_000, run }
    const { clock, log } = started(failing, { name: 'counted', everyMs: 1_000, run: async () => void runs++ })
    await settled()
    clock.advance(1_000)
    await settled()
    expect(runs).toBe(2)
    const lines = log.claimErrors(/^A job failed/)
    expect(lines.map(({ fields }) => (fields as { job: string }).job)).toEqual(['failing', 'failing'])
  })

  test('is waited for when the server stops, and not started again', async () => {
    const { job, ends } = heldJob()
    const { clock, stop } = started(job)
    await settled()
    let isStopped = false
    const stopping = stop().then(() => (isStopped = true))
    await settled()
    expect(isStopped).toBe(false)
    ends[0]!()
    await stopping
    clock.advance(10_000)
    await settled()
    expect(ends).toHaveLength(1)
  })
})
