import { applianceTerminalShares } from '../../../shared/api/appliance-terminal-shares.ts'
import { deviceAccessPath, sharedTerminalView } from '../../../shared/device-access.ts'
import type { HubResult } from '../../../shared/dtos/hub-result.ts'
import type { RouteCall, ViewerCall } from '../../call/call.ts'
import { conflict, notFound } from '../../ground/errors.ts'
import { identityOf } from '../../ground/principal.ts'
import { agentUrl } from '../../network/addresses.ts'
import { implement } from '../../surface/implement.ts'
import { joinSharedTerminal, sharedTerminal, typeIntoSharedTerminal } from './guests.ts'
import { forbidden } from './sessions.ts'
import { changeTerminalShare, listTerminalShares, shareTerminal } from './shares.ts'

/** The call for a connection of the caller, which the client names. Throws 404 for one of another caller (T28). */
function onConnection(call: RouteCall, connectionId: string): ViewerCall {
  const { app, principal, actor } = call
  const identity = identityOf(principal)
  const connected = app.hubs.viewer.principalOf(connectionId)
  if (!connected || identityOf(connected) !== identity) {
    throw notFound('connection')
  }
  return { app, principal, actor, viewer: { connectionId, identity, origin: call.origin() } }
}

/** Throws 404 once the sharing has ended, and 409 with the reason of any other failure. */
function accept({ isSuccess, reason }: HubResult): void {
  if (!isSuccess) {
    throw reason === forbidden.reason ? notFound('shared terminal') : conflict(reason ?? '')
  }
}

export const applianceTerminalShareRoutes = implement(applianceTerminalShares, {
  list: async (call, { device, params }) => ({ items: await listTerminalShares(call, device, params.terminalId) }),
  async create(call, { device, params, body }) {
    const { share, link } = await shareTerminal(call, device, params.terminalId, body)
    const query = new URLSearchParams({ deviceId: device.id, logonToken: link.token, ...sharedTerminalView })
    return { share, url: `${agentUrl(call.app, call.origin())}${deviceAccessPath}?${query.toString()}` }
  },
  change: (call, { device, params: { terminalId, shareId }, body: { canType } }) =>
    changeTerminalShare(call, device, { terminalId, shareId, canType }),
  own: (call) => sharedTerminal(call),
  join: async (call, { body }) => accept(await joinSharedTerminal(onConnection(call, body.connectionId))),
  type: async (call, { body }) =>
    accept(await typeIntoSharedTerminal(onConnection(call, body.connectionId), body.input)),
})
