import { nameOfVisitor } from '../people/names.ts'
import { randomUUID } from 'node:crypto'
import { sessionPermissions, type RemoteSessionKind } from '../../shared/dtos/remote-session.ts'
import type { Actor } from '../ground/actor.ts'
import { systemCall, type App, type Call } from '../call/call.ts'
import { withLinkMaker } from '../ground/principal.ts'
import { notFound } from '../ground/errors.ts'
import type { DeviceList } from '../fleet/device-list.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { RemoteSession } from './remote-sessions.ts'
import { deviceRight } from '../fleet/rights.ts'
import { canReturn, isOwnSession, mayEndSession, maySeeSession } from './rights.ts'
import type { ListedSession } from './present.ts'

export interface SessionStart {
  kind: RemoteSessionKind
  device: DeviceState
  viewerConnectionId?: string
  /** Now by default; a terminal may be older than this server's start. */
  startedAt?: number
  /** Batch that a command belongs to. */
  batchId?: string
  /** False by default: an end is still missing. */
  isConnected?: boolean
  bytesToDevice?(): number
  bytesFromDevice?(): number
  /** Whether a remote control session may send input, or is view-only. */
  canInteract?: boolean
  /** Condition besides the permission of the session's kind. */
  isAllowed?(): boolean
  /**
   * Lifetime of a session: bound to its credential by default; to the account, so that its owner can resume after
   * signing out; or to the work itself, which checks its own permission.
   */
  endsWith?: 'credential' | 'account' | 'work'
  stop(reason: string): void
}

const noBytes = () => 0

const noted = ({ id, kind, deviceId, principal }: RemoteSession) => ({
  sessionId: id,
  kind,
  deviceId,
  principal: { kind: principal.kind, id: principal.id, name: principal.name },
})

/** Kinds of short work: the audit log has their end alone, and files by name. */
const short: readonly RemoteSessionKind[] = ['upload', 'download', 'logs', 'preview']

const isLong = ({ kind }: RemoteSession) => !short.includes(kind)

/** Device and session of an event. */
export function audited({ fleet }: App, { id, kind, device, batchId }: RemoteSession) {
  return { device: fleet.get(device.id) ?? device, details: { session: kind, sessionId: id, batchId } }
}

export const ownerAsTarget = ({ principal }: RemoteSession) => {
  const { kind, id, name, guestName } = principal
  const target = kind === 'User' ? ('user' as const) : ('service-account' as const)
  return { kind: target, id, name: guestName ?? withLinkMaker(name, principal) }
}

/** Registers an active session. */
export function beginSession(call: Call, start: SessionStart): RemoteSession {
  const session = sessionOf(call, randomUUID(), start)
  list(call, session)
  return session
}

/** Registers a session under an id chosen by its viewer. Returns undefined for a taken id. */
export function beginSessionAs(call: Call, id: string, start: SessionStart): RemoteSession | undefined {
  const session = sessionOf(call, id, start)
  return list(call, session) ? session : undefined
}

/** Returns false for a taken id. */
function list({ app, actor }: Call, session: RemoteSession): boolean {
  const isNew = app.remoteSessions.add(session)
  if (isNew) {
    app.accessTraces.began(session)
    app.log.info({ ...noted(session), actor }, 'A session has started.')
    if (isLong(session)) {
      const { device, details } = audited(app, session)
      const serverId = app.servers.id || undefined
      app.audit.note(actor, { kind: 'session.began', device, details: { ...details, serverId } })
    }
  }
  return isNew
}

function sessionOf({ app, principal, actor }: Call, id: string, start: SessionStart): RemoteSession {
  const { kind, device, viewerConnectionId, isConnected = false, isAllowed = () => true, endsWith, stop } = start
  const permission = sessionPermissions[kind]
  const session: RemoteSession = {
    id,
    kind,
    deviceId: device.id,
    device: { id: device.id, tenantId: device.tenantId, name: device.name, alias: device.alias },
    principal,
    actor,
    viewerConnectionId,
    startedAt: start.startedAt ?? app.clock.now(),
    batchId: start.batchId,
    canInteract: start.canInteract,
    isConnected,
    bytesToDevice: start.bytesToDevice ?? noBytes,
    bytesFromDevice: start.bytesFromDevice ?? noBytes,
    isAllowed() {
      if (endsWith === 'work') {
        return isAllowed()
      }
      const current = app.fleet.get(device.id)
      const isLive = endsWith === 'account' ? canReturn(app, session.principal) : session.principal.isLive()
      return isLive && current !== undefined && deviceRight(app, session.principal, permission)(current) && isAllowed()
    },
    stop,
  }
  return session
}

/** Records that the viewer of a session hears the device, once for a session. Ignores sessions of other devices (T15). */
export function noteHeard({ app }: Pick<Call, 'app'>, device: DeviceState, sessionId: string): void {
  const session = app.remoteSessions.get(sessionId)
  if (session?.deviceId === device.id && !session.isHeard) {
    session.isHeard = true
    app.audit.note(session.actor, { kind: 'session.heard', ...audited(app, session) })
  }
}

/** Unregisters a session. Called at the end of each session, whatever the cause; `by` is who ended it for its owner. */
export function sessionEnded(app: App, session: RemoteSession, reason: string, by?: Actor): void {
  if (app.remoteSessions.remove(session)) {
    app.accessTraces.ended(session)
    const { bytesToDevice, bytesFromDevice, startedAt } = session
    const seconds = Math.round((app.clock.now() - startedAt) / 1000)
    const bytes = { bytesToDevice: bytesToDevice(), bytesFromDevice: bytesFromDevice() }
    app.log.info({ ...noted(session), ...bytes, seconds, reason, actor: session.actor }, 'A session has ended.')
    // An uploaded file has an event that names it.
    if (session.kind !== 'upload' && (session.kind !== 'preview' || by || app.remoteSessions.isFirstPreview(session))) {
      const { details, ...event } = audited(app, session)
      const end = { ...event, details: { ...details, ...bytes, seconds, reason } }
      if (by) {
        app.audit.note(by, { kind: 'session.cut', ...end, target: ownerAsTarget(session) })
      } else {
        app.audit.note(session.actor, { kind: 'session.ended', ...end })
      }
    }
  }
}

/** Ends a session on both sides. */
function endSession(app: App, session: RemoteSession, reason: string, by?: Actor): void {
  sessionEnded(app, session, reason, by)
  session.stop(reason)
}

export function endSessionsOf(app: App, deviceId: string, reason: string): void {
  for (const session of app.remoteSessions) {
    if (session.deviceId === deviceId) {
      endSession(app, session, reason)
    }
  }
}

export const forbiddenReason = 'The right to this session, or the credential that opened it, has ended.'

/**
 * Ends sessions whose principal loses its credential or its right, synchronously with this loss. Returns a function
 * that stops the checks.
 */
export const endForbiddenSessions = (app: App): (() => void) =>
  app.runningWork.add(() => {
    for (const session of app.remoteSessions) {
      if (!session.isAllowed()) {
        endSession(app, session, forbiddenReason, systemCall(app).actor)
      }
    }
  })

/** Active sessions that the caller may see, oldest first; of devices that it may read, and its own. */
export function listSessions({ app, principal }: Call, devices: DeviceList): ListedSession[] {
  const visible: ListedSession[] = []
  for (const session of app.remoteSessions) {
    const device = app.fleet.get(session.deviceId)
    if (device && maySeeSession(principal, session.principal, devices.get(device.id) !== undefined)) {
      visible.push({ session, device, canEnd: mayEndSession(app, principal, session.principal, device) })
    }
  }
  return visible.toSorted((a, b) => a.session.startedAt - b.session.startedAt)
}

/** Ends a session and notifies its owner. Throws 404 also for a session that the caller may not end. */
export function endListedSession({ app, principal, actor }: Call, id: string, reason = ''): void {
  const session = app.remoteSessions.get(id)
  const device = session && app.fleet.get(session.deviceId)
  if (!session || !device || !mayEndSession(app, principal, session.principal, device)) {
    throw notFound('session')
  }
  app.log.info({ ...noted(session), actor }, 'A session was ended by hand.')
  const isOwn = isOwnSession(principal, session.principal)
  const text = `${isOwn ? 'You' : nameOfVisitor({ app, principal })} ended the session${reason === '' ? '.' : `: ${reason}`}`
  endSession(app, session, text, isOwn ? undefined : actor)
  if (!isOwn && session.viewerConnectionId !== undefined) {
    const message = `${device.alias || device.name}: ${text}`
    void app.hubs.viewer.send(session.viewerConnectionId).InvokeToast({ message, messageSeverity: 1 })
  }
}
