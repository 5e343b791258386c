import {
  PerformanceObserver,
  constants,
  monitorEventLoopDelay,
  performance,
  type PerformanceEntry,
} from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { gauge, histogram, observedCounter, type Labels } from './instruments.ts'

const gcTypes: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
}

const resolutionMs = 10

const one = (value: number, labels: Labels = {}) => [[value, labels] as const]

/** Event loop, heap, garbage collection and processor time of this process. Returns a function that stops the watching. */
export function watchRuntime(): () => void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  // Each sample includes the interval of the samples.
  const nanoseconds = (value: number) => Math.max(0, (Number.isFinite(value) ? value : 0) / 1e9 - resolutionMs / 1000)
  gauge('nodejs.eventloop.delay.p50', () => one(nanoseconds(delays.percentile(50))))
  gauge('nodejs.eventloop.delay.p99', () => one(nanoseconds(delays.percentile(99))))
  // Read last: the next values are of the time after this export.
  gauge('nodejs.eventloop.delay.max', () => {
    const max = nanoseconds(delays.max)
    delays.reset()
    return one(max)
  })
  let last = performance.eventLoopUtilization()
  gauge('nodejs.eventloop.utilization', () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return one(utilization)
  })
  gauge('v8js.memory.heap.used', () => one(getHeapStatistics().used_heap_size))
  gauge('v8js.memory.heap.limit', () => one(getHeapStatistics().heap_size_limit))
  gauge('process.memory.usage', () => one(process.memoryUsage.rss()))
  observedCounter('process.cpu.time', () => {
    const { user, system } = process.cpuUsage()
    return [
      [user / 1e6, { 'cpu.mode': 'user' }],
      [system / 1e6, { 'cpu.mode': 'system' }],
    ]
  })
  const collections = histogram('v8js.gc.duration')
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as (PerformanceEntry & { detail: { kind: number } })[]) {
      const type = gcTypes[detail.kind] ?? 'major'
      collections.record(duration / 1000, { 'v8js.gc.type': type })
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => {
    observer.disconnect()
    delays.disable()
  }
}
