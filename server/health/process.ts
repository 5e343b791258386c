import { freemem, totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { dayMs } from '../../shared/durations.ts'
import { length, ok, problem, size, time, warning, type HealthCheck } from './check.ts'

/** Shares of the limit at which the process is about to run out of memory. */
const heapShare = { warning: 0.75, problem: 0.9 }
const leastFreeMemory = 0.05
const slowLoopMs = { p99: 200, max: 2_000 }

const memory: HealthCheck = {
  id: 'memory',
  title: 'Memory',
  run() {
    const { used_heap_size: heap, heap_size_limit: limit } = getHeapStatistics()
    const summary = `${size(process.memoryUsage.rss())} used, ${size(freemem())} of ${size(totalmem())} free on this computer`
    const advice = 'Restart the server in a quiet hour. If memory fills again, download the diagnostics and report it.'
    if (heap > heapShare.problem * limit) {
      return problem(`${summary}; the heap is almost full`, advice)
    }
    if (heap > heapShare.warning * limit) {
      return warning(`${summary}; the heap fills up`, advice)
    }
    return freemem() < leastFreeMemory * totalmem()
      ? warning(summary, 'Other programs use almost all memory of this computer: close some, or add memory.')
      : ok(summary)
  },
}

const eventLoop: HealthCheck = {
  id: 'event-loop',
  title: 'Response',
  run({ eventLoop: { delay } }) {
    const summary = `99% of the work waited up to ${delay.p99Ms} ms, the longest ${delay.maxMs} ms, in the last minutes`
    return delay.p99Ms > slowLoopMs.p99 || delay.maxMs > slowLoopMs.max
      ? warning(summary, 'The computer is too busy, or slept. Look for other programs that use the processor.')
      : ok(summary)
  },
}

const clock: HealthCheck = {
  id: 'clock',
  title: 'Clock',
  run({ clock: { now }, clockWatch: { lastJump, lastSleep }, config, retentionClock: { doubt } }) {
    const slept = lastSleep && now() - lastSleep.to < dayMs
    const summary = `It is ${time(now())} here${slept ? `; this computer was asleep from ${time(lastSleep.from)} to ${time(lastSleep.to)}` : ''}`
    if (doubt) {
      return warning(
        `${summary}; the clock is ${length(doubt.byMs)} ahead of the time that this server expected`,
        `Correct the clock of this computer. If it is right, there is nothing to do. Until ${time(doubt.untilMs)} old data is kept longer, by that difference.`,
      )
    }
    if (!lastJump || now() - lastJump.at > dayMs) {
      return ok(summary)
    }
    const toleranceMs = config.appOptions.agentClockSkewToleranceMs
    return lastJump.byMs < 0
      ? warning(
          `${summary}; the clock was set back by ${length(lastJump.byMs)} on ${time(lastJump.at)}`,
          `Turn on the time service of the system.${toleranceMs === undefined ? '' : ' Devices whose clock differs are rejected.'}`,
          lastJump.at,
        )
      : ok(`${summary}; the clock was set forward by ${length(lastJump.byMs)} on ${time(lastJump.at)}`)
  },
}

const secrets: HealthCheck = {
  id: 'secrets',
  title: 'Master key',
  async run({ secretStore, checkSecretStore }) {
    const place = secretStore === 'keychain' ? 'the keychain of this computer' : 'a key file in the data folder'
    try {
      await checkSecretStore()
      return ok(`Kept in ${place}, and readable`)
    } catch (error) {
      return problem(
        `Cannot be read from ${place}: ${(error as Error).message}`,
        'The running server has the key in memory. Restore the key before the next start, or everything sealed with it is lost.',
      )
    }
  },
}

export const processChecks: readonly HealthCheck[] = [memory, eventLoop, clock, secrets]
