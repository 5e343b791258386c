import type { IncomingMessage } from 'node:http'
import type { HubDefinition } from '../../shared/contract/hub.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import type { Authenticate } from '../auth/authenticate.ts'
import type { App } from '../call.ts'
import type { HubsClients } from '../clients.ts'
import type { Clock } from '../clock.ts'
import { unauthorized } from '../errors.ts'
import { maxHubConnectionsOf } from '../http/web/connection-limits.ts'
import { sendError } from '../http/web/error-handler.ts'
import { countedAddress, type RemoteAddressOf } from '../http/web/request.ts'
import type { Site } from '../http/web/site.ts'
import type { Endpoint } from '../http/web/upgrade.ts'
import type { Log } from '../log.ts'
import { refusePendingPasswordChange } from '../policies/password-change.ts'
import type { Principal } from '../principal.ts'
import { createHubServer, type Caller, type Hub, type HubServer } from '../signalr/index.ts'
import { createAgentHub } from './agent-hub.ts'
import { invokerOf, senderTo } from './bind.ts'
import { createViewerHub } from './viewer-hub.ts'

/** Hub messages of an agent may be large: a hundred directory entries with long paths exceed the usual limit. */
const maxAgentMessageBytes = 1024 * 1024
const maxViewerMessageBytes = 100_000
/** A thousand directory entries hold ten thousand. */
const maxMessageValues = 20_000
const maxParallelInvocations = 2

interface HubServersOptions {
  clock: Clock
  log: Log
  detailedErrors: boolean
}

/** Both hub servers, before they have a hub. */
export interface HubServers {
  agents: HubServer
  viewers: HubServer
  /** How the rest of the product calls their clients. */
  clients: HubsClients
  close(): Promise<void>
}

/** Creates both hub servers, which can send at once; `mountHubs` accepts connections. */
export function createHubServers({ clock, log, detailedErrors }: HubServersOptions): HubServers {
  const createServer = (maxReceiveMessageBytes: number) =>
    createHubServer({
      clock,
      log,
      options: {
        maxReceiveMessageBytes,
        maxMessageValues,
        maxParallelInvocations,
        maxConnectionsOf: maxHubConnectionsOf,
        countedAddressOf: countedAddress,
        detailedErrors,
      },
    })
  const agents = createServer(maxAgentMessageBytes)
  const viewers = createServer(maxViewerMessageBytes)
  const connected = () =>
    [...viewers.connections].map(({ id, caller }) => ({ connectionId: id, principal: caller.principal as Principal }))
  return {
    agents,
    viewers,
    clients: {
      agent: {
        send: (connectionId) => senderTo(agents.clients.client(connectionId)),
        invoke: (connectionId, signal) => invokerOf(agents.clients, connectionId, signal),
        disconnect: (connectionId) => agents.connections.get(connectionId)?.abort({ allowReconnect: true }),
      },
      viewer: {
        send: (...connectionIds) => senderTo(viewers.clients.clients(connectionIds)),
        connected,
        isOnline: (userId) => connected().some(({ principal }) => principal.id === userId),
        disconnect(matches) {
          for (const connection of viewers.connections) {
            if (matches(connection.caller.principal as Principal)) {
              connection.abort()
            }
          }
        },
      },
    },
    close: async () => {
      await Promise.all([agents.close(), viewers.close()])
    },
  }
}

interface HubsOptions {
  isStrict: boolean
  authenticate: Authenticate
  remoteAddressOf: RemoteAddressOf
  site: Site
}

/** The same person with another kind of credential, or with another token, has other rights: that is somebody else (T28). */
const identityOf = ({ kind, id, credential }: Principal) =>
  JSON.stringify([kind, id, credential.kind, 'id' in credential ? credential.id : null])

/** Finds the principal of each request to a hub. Throws 401 or 403. */
function callerReader(app: App, definition: HubDefinition, { authenticate, remoteAddressOf, site }: HubsOptions) {
  return async (request: IncomingMessage): Promise<Caller> => {
    site.checkHost(request)
    site.checkOrigin(request)
    const remoteAddress = remoteAddressOf(request)
    if (definition.access === 'anonymous') {
      return { principal: undefined, userId: undefined, remoteAddress }
    }
    const principal = await authenticate(request)
    if (!principal) {
      throw unauthorized()
    }
    refusePendingPasswordChange(app, principal)
    return { principal, userId: principal.id, identity: identityOf(principal), remoteAddress }
  }
}

/** Gives both servers their hubs. Returns where they are reached. */
export function mountHubs(app: App, { agents, viewers }: HubServers, options: HubsOptions): Endpoint[] {
  const mount = (definition: HubDefinition, server: HubServer, hub: Hub): Endpoint => {
    const endpoint = server.serve(hub)
    const readCaller = callerReader(app, definition, options)
    return {
      path: definition.path,
      async request(request, response) {
        try {
          endpoint.handleRequest(request, response, await readCaller(request))
        } catch (error) {
          sendError(response, error, app.log)
        }
      },
      upgrade: async (request, socket, head) =>
        endpoint.handleUpgrade(request, socket, head, await readCaller(request)),
    }
  }
  return [
    mount(agentHub, agents, createAgentHub(app, options.isStrict)),
    mount(viewerHub, viewers, createViewerHub(app, options.isStrict)),
  ]
}
