import type { RouteCall } from '../call/call.ts'
import { deviceRight } from '../fleet/rights.ts'
import { AppError, conflict, notFound } from '../ground/errors.ts'
import { accountOf } from '../ground/principal.ts'
import { nameOfVisitor } from '../people/names.ts'
import { maySeeSession } from './rights.ts'
import { audited, ownerAsTarget } from './session-lifecycle.ts'

/** Messages of a sender in 5 minutes. */
const maxMessages = 30

/** Shown until it is dismissed. */
const warning = 1

/** Shows a message in the viewer of a session that the caller may see. */
export async function messageSession(call: RouteCall, id: string, text: string): Promise<void> {
  const { app, principal, actor } = call
  const session = app.remoteSessions.get(id)
  const device = session && app.fleet.get(session.deviceId)
  const maySee =
    session && device && maySeeSession(principal, session.principal, deviceRight(app, principal, 'device.read')(device))
  if (!maySee) {
    throw notFound('session')
  }
  const { messages } = app.remoteSessions
  const account = accountOf(principal)
  if (messages.add(account) > maxMessages) {
    throw new AppError(429, 'You sent too many messages. Try again in a few minutes.', {
      headers: { 'retry-after': String(Math.ceil(messages.of(account).leftMs / 1_000)) },
    })
  }
  if (session.viewerConnectionId === undefined) {
    throw conflict('This session has no viewer that could show a message.')
  }
  app.log.info({ actor, sessionId: id, deviceId: device.id }, 'A message was sent to the owner of a session.')
  await app.audit.record(actor, {
    kind: 'session.messaged',
    ...audited(app, session),
    target: ownerAsTarget(session),
  })
  await app.hubs.viewer.send(session.viewerConnectionId).InvokeToast({
    message: `${nameOfVisitor(call)}, about ${device.alias || device.name}: ${text}`,
    messageSeverity: warning,
  })
}
