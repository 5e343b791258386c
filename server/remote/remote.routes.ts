import { applianceRemoteSessions } from '../../shared/api/appliance-remote-sessions.ts'
import { desktopPreview } from '../../shared/api/desktop-preview.ts'
import { implement } from '../surface/implement.ts'
import { previewDesktop } from './desktop-preview.ts'
import { presentRemoteSession } from './present.ts'
import { endListedSession, listSessions } from './session-lifecycle.ts'
import { messageSession } from './session-messages.ts'

export const desktopPreviewRoutes = implement(desktopPreview, {
  get: (call, { device, params }) => previewDesktop(call, device, params.targetProcessId),
})

export const applianceRemoteSessionRoutes = implement(applianceRemoteSessions, {
  list: (call, { devices }) => ({
    items: listSessions(call, devices).map((session) => presentRemoteSession(session, call.app.accounts)),
  }),
  message: (call, { params, body }) => messageSession(call, params.sessionId, body.text),
  end: (call, { params, body }) => endListedSession(call, params.sessionId, body.reason),
})
