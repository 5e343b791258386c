import type { IncomingMessage } from 'node:http'
import type { Authenticate } from '../credentials/authenticate.ts'
import type { App } from '../call/call.ts'
import { sendError } from '../engines/http/web/error-handler.ts'
import { countedAddress, type RemoteAddressOf } from '../engines/http/web/remote-address.ts'
import type { Origins } from '../engines/http/web/origins.ts'
import type { Endpoint } from '../engines/http/web/upgrade.ts'
import { notFound } from '../ground/errors.ts'
import { refuseUnfinishedAccount } from '../people/unfinished-account.ts'
import { accountOf, identityOf } from '../ground/principal.ts'
import type { Relay, RelayCaller } from '../engines/relay/relay.ts'

interface RelayEndpointOptions {
  authenticate: Authenticate
  remoteAddressOf: RemoteAddressOf
  origins: Origins
}

/**
 * Endpoint where both ends of a session connect. Viewers are identified by their credential, devices by the token of
 * the session. Rejects pages of other sites (T02).
 */
export function mountRelay(app: App, relay: Relay, options: RelayEndpointOptions): Endpoint {
  const { authenticate, remoteAddressOf, origins } = options
  const callerOf = async (request: IncomingMessage): Promise<RelayCaller> => {
    origins.checkHost(request)
    origins.checkOrigin(request)
    const address = countedAddress(remoteAddressOf(request))
    const principal = await authenticate(request)
    if (!principal) {
      return { address }
    }
    refuseUnfinishedAccount(app, principal)
    return { identity: identityOf(principal), principal: accountOf(principal), address }
  }
  return {
    path: '/relay',
    request: (_, response) => sendError(response, notFound('address'), app.log),
    upgrade: async (request, socket, head) => relay.handleUpgrade(request, socket, head, await callerOf(request)),
  }
}
