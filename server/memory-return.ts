import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock, type Cancel, type Clock } from './clock.ts'

/** Collections after which V8 drops the bytecode of a function that did not run, as it does by default. */
const usualCodeAge = 6

const everyMs = 20_000
/** Growth since the last collection that is worth the pause of another one. */
const worthwhileBytes = 32 * 1024 * 1024
/** Share of the time that a quiet main thread works; reports of 1,000 devices need less. */
const quiet = 0.05

/** The process as it is measured and collected here. */
interface Memory {
  residentBytes(): number
  /** Share of the time since the last call in which the main thread worked, 0 to 1. */
  utilization(): number
  collect(): void
}

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** The memory of this process. */
export function processMemory(): Memory {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  let last = performance.eventLoopUtilization()
  return {
    residentBytes: () => process.memoryUsage.rss(),
    utilization() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    // Other collections keep the pages that they empty for later use, and the code of a start for six collections.
    collect() {
      setFlagsFromString('--bytecode-old-age=0')
      collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
      setFlagsFromString(`--bytecode-old-age=${usualCodeAge}`)
    },
  }
}

/**
 * Returns memory to the system after a load: V8 alone keeps what it once had. A collection stops the main thread for
 * some 200 ms, so it waits until the process is quiet (decision 0153). Returns a stop function.
 */
export function returnMemory(clock: Clock = systemClock, memory: Memory = processMemory()): Cancel {
  let lowestBytes = 0
  return clock.every(everyMs, () => {
    const isQuiet = memory.utilization() < quiet
    lowestBytes = Math.min(lowestBytes, memory.residentBytes())
    if (isQuiet && memory.residentBytes() > lowestBytes + worthwhileBytes) {
      memory.collect()
      lowestBytes = memory.residentBytes()
    }
  })
}
