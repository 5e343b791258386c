import { context, trace, type Span } from '@opentelemetry/api'
import type { Principal } from '../principal.ts'
import type { RemoteSession } from './remote-sessions.ts'

/** Asked for on use: a tracer that was made before the SDK started would belong to the SDK before. */
const tracer = () => trace.getTracer('Service.Web.Server')

const visitName = 'remote_access_session'

/** Longest name of a step, which viewers choose. */
const longestName = 100

/** A visit of a device by a viewer connection. */
interface Visit {
  readonly span: Span
  readonly deviceId: string
}

interface Visitor {
  readonly principal: Principal
  readonly viewer: { connectionId: string }
}

function startVisit({ credential, name, id }: Principal, deviceId: string, kind?: string): Span {
  const correlationId = credential.kind === 'LogonToken' ? credential.correlationId : undefined
  return tracer().startSpan(
    visitName,
    {
      root: true,
      attributes: {
        'user.name': name,
        'user.id': id,
        'device.id': deviceId,
        ...(correlationId && { 'session.correlation_id': correlationId }),
        ...(kind !== undefined && { 'farhand.session.kind': kind }),
      },
    },
    context.active(),
  )
}

function startChild(parent: Span, name: string, attributes = {}): Span {
  return tracer().startSpan(name, { attributes }, trace.setSpan(context.active(), parent))
}

/** Traces of visits and of sessions with devices. No-op without an exporter. */
export class AccessTraces {
  /** By connection. */
  readonly #visits = new Map<string, Visit>()
  readonly #sessions = new Map<RemoteSession, Span>()

  /** Starts the visit of a viewer connection, which has one at a time. */
  start({ principal, viewer: { connectionId } }: Visitor, { id }: { id: string }): void {
    this.end(connectionId)
    this.#visits.set(connectionId, { span: startVisit(principal, id), deviceId: id })
  }

  /** Adds a step of the viewer as a child span. */
  note(connectionId: string, activityName: string): void {
    const visit = this.#visits.get(connectionId)
    if (visit) {
      startChild(visit.span, activityName.slice(0, longestName)).end()
    }
  }

  /** Ends a visit. Its sessions continue on their own. */
  end(connectionId: string): void {
    this.#visits.get(connectionId)?.span.end()
    this.#visits.delete(connectionId)
  }

  /** Ends everything of a viewer that is gone. */
  drop(connectionId: string): void {
    for (const session of this.#sessions.keys()) {
      if (session.viewerConnectionId === connectionId) {
        this.ended(session)
      }
    }
    this.end(connectionId)
  }

  /** A session of any kind belongs to the visit of its viewer; without one, the session is a visit of its own. */
  began(session: RemoteSession): void {
    const { kind, deviceId, principal, viewerConnectionId = '' } = session
    const visit = this.#visits.get(viewerConnectionId)
    const span =
      visit?.deviceId === deviceId
        ? startChild(visit.span, kind, { 'farhand.session.kind': kind })
        : startVisit(principal, deviceId, kind)
    this.#sessions.set(session, span)
  }

  ended(session: RemoteSession): void {
    this.#sessions.get(session)?.end()
    this.#sessions.delete(session)
  }
}
