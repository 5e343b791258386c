import type { Principal } from '../ground/principal.ts'
import type { RemoteSession } from './remote-sessions.ts'

/** Starts the spans of visits and sessions. */
export interface VisitObserver<Span extends { end(): void } = { end(): void }> {
  /** A visit of a device, or a session without one. */
  visit(principal: Principal, deviceId: string, kind?: string): Span
  /** A step or a session within a visit. */
  child(parent: Span, name: string, kind?: string): Span
}

/** Longest name of a step, which viewers choose. */
const longestName = 100

/** A visit of a device by a viewer connection. */
interface Visit {
  readonly span: { end(): void }
  readonly deviceId: string
}

interface Visitor {
  readonly principal: Principal
  readonly viewer: { connectionId: string }
}

/** Traces of visits and of sessions with devices. Without an observer, nothing is traced. */
export class AccessTraces {
  readonly #observer: VisitObserver | undefined
  /** By connection. */
  readonly #visits = new Map<string, Visit>()
  readonly #sessions = new Map<RemoteSession, { end(): void }>()

  constructor(observer: VisitObserver | undefined) {
    this.#observer = observer
  }

  /** Starts the visit of a viewer connection, which has one at a time. */
  start({ principal, viewer: { connectionId } }: Visitor, { id }: { id: string }): void {
    this.end(connectionId)
    if (this.#observer) {
      this.#visits.set(connectionId, { span: this.#observer.visit(principal, id), deviceId: id })
    }
  }

  /** Adds a step of the viewer as a child span. */
  note(connectionId: string, activityName: string): void {
    const visit = this.#visits.get(connectionId)
    if (visit) {
      this.#observer?.child(visit.span, activityName.slice(0, longestName)).end()
    }
  }

  /** Ends a visit. Its sessions continue on their own. */
  end(connectionId: string): void {
    this.#visits.get(connectionId)?.span.end()
    this.#visits.delete(connectionId)
  }

  /** Ends the visit and the sessions of a disconnected viewer. */
  drop(connectionId: string): void {
    for (const session of this.#sessions.keys()) {
      if (session.viewerConnectionId === connectionId) {
        this.ended(session)
      }
    }
    this.end(connectionId)
  }

  /** Starts the span of a session: below the visit of its viewer, or as a visit of its own without one. */
  began(session: RemoteSession): void {
    const { kind, deviceId, principal, viewerConnectionId = '' } = session
    const visit = this.#visits.get(viewerConnectionId)
    const span =
      visit?.deviceId === deviceId
        ? this.#observer?.child(visit.span, kind, kind)
        : this.#observer?.visit(principal, deviceId, kind)
    if (span) {
      this.#sessions.set(session, span)
    }
  }

  ended(session: RemoteSession): void {
    this.#sessions.get(session)?.end()
    this.#sessions.delete(session)
  }
}
