import { context, trace, type Span } from '@opentelemetry/api'
import { tracer } from '../../../shared/telemetry/spans.ts'
import type { VisitObserver } from '../../remote/access-traces.ts'

const kindLabel = (kind: string | undefined) => (kind === undefined ? {} : { 'farhand.session.kind': kind })

/** A visit is the root of a trace; its steps and sessions are children. */
export const visitObserver = (): VisitObserver<Span> => ({
  visit({ credential, name, id }, deviceId, kind) {
    const correlationId = credential.kind === 'LogonToken' ? credential.correlationId : undefined
    const attributes = {
      'user.name': name,
      'user.id': id,
      'device.id': deviceId,
      ...(correlationId && { 'session.correlation_id': correlationId }),
      ...kindLabel(kind),
    }
    return tracer().startSpan('remote_access_session', { root: true, attributes })
  },
  child: (parent, name, kind) =>
    tracer().startSpan(name, { attributes: kindLabel(kind) }, trace.setSpan(context.active(), parent)),
})
