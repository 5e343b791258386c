import { context, trace, type Span } from '@opentelemetry/api'
import type { Call } from '../../call.ts'
import type { DeviceState } from '../../mirrors/fleet/device-state.ts'

const tracer = trace.getTracer('Service.Web.Server')

/** Trace of a viewer connection, one at a time. No-op without an exporter. */
export class AccessTrace {
  #span: Span | undefined

  start({ principal }: Call, device: DeviceState): void {
    this.end()
    const { credential } = principal
    const correlationId = credential.kind === 'LogonToken' ? credential.correlationId : undefined
    this.#span = tracer.startSpan('remote_access_session', {
      attributes: {
        'user.name': principal.name,
        'user.id': principal.id,
        'device.id': device.id,
        ...(correlationId && { 'session.correlation_id': correlationId }),
      },
    })
  }

  /** Adds a step of the viewer as a child span. */
  note(activityName: string): void {
    const parent = this.#span
    if (parent) {
      tracer.startSpan(activityName, {}, trace.setSpan(context.active(), parent)).end()
    }
  }

  end(): void {
    this.#span?.end()
    this.#span = undefined
  }
}
