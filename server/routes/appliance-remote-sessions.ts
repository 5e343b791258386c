import { applianceRemoteSessions } from '../../shared/api/appliance-remote-sessions.ts'
import { presentRemoteSession } from '../presenters/remote-session.ts'
import { endListedSession, listSessions } from '../services/agent-calls/remote-sessions.ts'
import { implement } from './implement.ts'

export const applianceRemoteSessionRoutes = implement(applianceRemoteSessions, {
  list: (call, { devices }) => ({
    items: listSessions(call, devices).map((session) => presentRemoteSession(session, call.app.accounts)),
  }),
  end: (call, { params, body }) => endListedSession(call, params.sessionId, body.reason),
})
