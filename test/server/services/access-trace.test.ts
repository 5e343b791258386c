import { context, trace, type Context, type Span, type SpanOptions } from '@opentelemetry/api'
import { expect, onTestFinished, test } from 'vitest'
import { success } from '../../../shared/dtos/hub-result.ts'
import { enroll } from '../../support/agent.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { useTestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface Recorded {
  name: string
  attributes: object
  parent: string | undefined
  isEnded: boolean
}

/**
 * Records the spans that a telemetry library would receive through its public interface, the only one the server uses.
 */
function recordSpans(): Recorded[] {
  const recorded: Recorded[] = []
  const names = new Map<Span, string>()
  const startSpan = (name: string, { attributes = {} }: SpanOptions = {}, parent: Context = context.active()) => {
    const above = trace.getSpan(parent)
    const entry: Recorded = { name, attributes, parent: above && names.get(above), isEnded: false }
    recorded.push(entry)
    const span = { end: () => (entry.isEnded = true) } as unknown as Span
    names.set(span, name)
    return span
  }
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan: () => undefined as never }) })
  onTestFinished(() => trace.disable())
  return recorded
}

test('an access to a device is a trace with the steps of its viewer, and ends with the viewer at the latest', async () => {
  const server = await useTestServer()
  const spans = recordSpans()
  const owner = await server.owner()
  const { id: deviceId } = await enroll(owner)
  const viewer = await connectViewer(owner)
  expect(await viewer.AddViewerActivity('before anything has begun')).toEqual(success)
  expect(await viewer.StartDeviceAccessActivity2({ deviceId })).toEqual(success)
  await viewer.AddViewerActivity2({ activityName: 'Terminal' })
  const access = {
    name: 'remote_access_session',
    attributes: { 'user.name': owner.user.userName, 'user.id': owner.user.id, 'device.id': deviceId },
    parent: undefined,
  }
  expect(spans).toEqual([
    { ...access, isEnded: false },
    { name: 'Terminal', attributes: {}, parent: access.name, isEnded: true },
  ])
  expect(await viewer.DisposeDeviceAccessActivity()).toEqual(success)
  expect(spans[0]?.isEnded).toBe(true)
  await viewer.StartDeviceAccessActivity(deviceId)
  await viewer.connection.stop()
  await until(() => spans[2]?.isEnded)
})
