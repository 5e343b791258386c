import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { samplingOf } from '../../../shared/telemetry/sampling.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const callerWith = (traceFlags: number) =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: 'b7ad6b7169203331', traceFlags, isRemote: true })
const callers = [ROOT_CONTEXT, callerWith(1), callerWith(0)]

test.each([
  [undefined, undefined, [1, 1, 0]],
  ['always_on', undefined, [1, 1, 1]],
  ['always_off', undefined, [0, 0, 0]],
  ['parentbased_always_on', undefined, [1, 1, 0]],
  ['parentbased_always_off', undefined, [0, 1, 0]],
  ['traceidratio', '0', [0, 0, 0]],
  ['traceidratio', '1', [1, 1, 1]],
  ['parentbased_traceidratio', '0', [0, 1, 0]],
  ['traceidratio', '7', [1, 1, 1]],
  ['unknown', undefined, [1, 1, 0]],
])(
  'sampler %s with argument %s decides for requests without a caller, with a sampled caller, with an unsampled caller',
  (name, arg, taken) => {
    const { decide } = samplingOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: arg })
    expect(callers.map((caller) => decide(caller, { traceId }, 'GET'))).toEqual(taken)
  },
)

test('a ratio takes its share of the traces by their ids', () => {
  const { decide } = samplingOf({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' })
  const ids = ['00000000000000000000000000000001', 'ffffffff000000000000000000000000']
  expect(ids.map((id) => decide(ROOT_CONTEXT, { traceId: id }, 'GET'))).toEqual([1, 0])
})
