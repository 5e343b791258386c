import { TraceFlags, createTraceState } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { LightSpan, SpanBatch, type SpanShape } from '../../../shared/telemetry/light-spans.ts'
import { OtlpSpans } from '../../../shared/telemetry/otlp-spans.ts'
import { readSpans } from '../../support/otlp.ts'

const shapes: SpanShape[] = [
  { name: 'GET /api/v1/devices/:deviceId', attributes: { 'http.response.status_code': 200 }, isError: false },
  { name: `POST /${'ü'.repeat(200)}`, attributes: { 'error.type': '500', 'farhand.refused': true }, isError: true },
]
const caller = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: '00000000b7ad6b71',
  traceFlags: TraceFlags.SAMPLED,
  traceState: createTraceState('vendor=value'),
  isRemote: true,
}
const startedAt = Date.parse('2026-11-27T12:00:00.123Z')

test('the bytes of a batch are its spans, with and without a caller', () => {
  const spans = [new LightSpan(undefined), new LightSpan(caller), new LightSpan(undefined)]
  // The first has ids before its end, for a child; the last never reads its own.
  const [first] = spans
  const ids = [first!.traceId, first!.spanId]
  const batch = new SpanBatch(4)
  spans.forEach((span, index) => batch.add(shapes[index % 2]!, span, startedAt, startedAt + 12.5))
  const [received, ...others] = readSpans(new OtlpSpans({ 'service.name': 'service' }).request(batch))
  expect(others).toEqual([])
  expect(received!.resource).toEqual({ 'service.name': 'service' })
  expect(received!.spans).toMatchObject(
    spans.map((span, index) => ({
      ...shapes[index % 2],
      scope: 'Service.Web.Server',
      kind: 2,
      parentId: span.parent?.spanId ?? '',
      state: span.parent ? 'vendor=value' : '',
      startedAt: expect.closeTo(startedAt, 2) as number,
      seconds: expect.closeTo(0.0125, 5) as number,
    })),
  )
  expect([received!.spans[0]!.traceId, received!.spans[0]!.spanId]).toEqual(ids)
  expect(received!.spans[1]!.traceId).toBe(caller.traceId)
  expect(received!.spans[2]!.traceId).toMatch(/^[\da-f]{32}$/)

  const readable = batch.readable({ attributes: {} } as never)
  expect(
    readable.map((span) => [span.name, span.spanContext().traceId, span.spanContext().spanId, span.duration]),
  ).toEqual(received!.spans.map(({ name, traceId, spanId }) => [name, traceId, spanId, [0, 12_500_000]]))
  expect(readable.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
    undefined,
    caller.spanId,
    undefined,
  ])
})
