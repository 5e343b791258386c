import { expect, test } from 'vitest'
import { LightSpan, type SpanBatch } from '../../../shared/telemetry/light-spans.ts'
import { SpanQueue } from '../../../shared/telemetry/span-queue.ts'
import { until } from '../../support/until.ts'

const shape = { name: 'GET /', attributes: {}, isError: false }

/** An exporter whose exports end when the test says so. */
function slowExporter() {
  const exports: { size: number; end: () => void }[] = []
  return {
    exports,
    export: ({ size }: SpanBatch, done: (result: { code: number }) => void) =>
      void exports.push({ size, end: () => done({ code: 0 }) }),
    shutdown: async () => {},
  }
}

function queueOf(maxQueueSize: number, maxExportBatchSize: number, scheduledDelayMillis: number) {
  const exporter = slowExporter()
  const queue = new SpanQueue(exporter, { maxQueueSize, maxExportBatchSize, scheduledDelayMillis })
  const add = (count: number) => {
    for (let added = 0; added < count; added++) {
      queue.add(shape, new LightSpan(undefined), 0, 1)
    }
  }
  return { queue, add, sizes: () => exporter.exports.map(({ size }) => size), exports: exporter.exports }
}

test('a full batch is exported at once; a full queue drops what comes, and takes spans again after an export', async () => {
  const { queue, add, sizes, exports } = queueOf(6, 2, 1_000_000)
  add(1)
  expect(sizes()).toEqual([])
  add(8)
  expect(sizes()).toEqual([2, 2])
  exports[0]!.end()
  await until(() => sizes().length === 3)
  add(1)
  exports.forEach(({ end }) => end())
  const stopped = queue.stop()
  expect(sizes()).toEqual([2, 2, 2, 1])
  exports[3]!.end()
  await stopped
  add(2)
  expect(sizes()).toEqual([2, 2, 2, 1])
})

test('spans of a quiet server are exported after the delay, an export at a time', async () => {
  const { queue, add, sizes, exports } = queueOf(100, 50, 5)
  add(3)
  await until(() => sizes().length === 1)
  add(2)
  await new Promise((resolve) => setImmediate(resolve))
  expect(sizes()).toEqual([3])
  exports[0]!.end()
  await until(() => sizes().length === 2)
  expect(sizes()).toEqual([3, 2])
  exports[1]!.end()
  await queue.stop()
})
