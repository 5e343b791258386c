import type { IncomingMessage } from 'node:http'
import type { HubDefinition } from '../../shared/contract/hub.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import type { Authenticate } from '../auth/authenticate.ts'
import type { App, Principal } from '../context.ts'
import { unauthorized } from '../errors.ts'
import { sendError } from '../http/web/error-handler.ts'
import type { RemoteAddressOf } from '../http/web/request.ts'
import type { Site } from '../http/web/site.ts'
import type { Endpoint } from '../http/web/upgrade.ts'
import { refusePendingPasswordChange } from '../policies/password-change.ts'
import type { HubEndpoint } from '../signalr/endpoint.ts'
import { createHubServer } from '../signalr/hub-server.ts'
import type { Caller } from '../signalr/hub.ts'
import { createAgentHub } from './agent-hub.ts'
import { invokerOf, senderTo } from './bind.ts'
import { createViewerHub } from './viewer-hub.ts'

/** Hub messages of an agent may be large: a hundred directory entries with long paths exceed the usual limit. */
const maxAgentMessageBytes = 1024 * 1024
const maxViewerMessageBytes = 100_000
const maxParallelInvocations = 2

interface HubsOptions {
  isStrict: boolean
  authenticate: Authenticate
  remoteAddressOf: RemoteAddressOf
  site: Site
}

/** Finds out who calls a hub, on every one of its requests. Throws 401 or 403. */
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
    return { principal, userId: principal.id, remoteAddress }
  }
}

/** Both hubs: where they are mounted, how the rest of the product calls their clients, how they end. */
export function createHubs(app: App, options: HubsOptions) {
  const { isStrict } = options
  const createServer = (maxReceiveMessageBytes: number) =>
    createHubServer({
      clock: app.clock,
      log: app.log,
      options: {
        maxReceiveMessageBytes,
        maxParallelInvocations,
        detailedErrors: app.config.appOptions.enableSignalrDetailedErrors,
      },
    })
  const agents = createServer(maxAgentMessageBytes)
  const viewers = createServer(maxViewerMessageBytes)

  const mount = (definition: HubDefinition, hub: HubEndpoint): Endpoint => {
    const readCaller = callerReader(app, definition, options)
    return {
      path: definition.path,
      async request(request, response) {
        try {
          hub.handleRequest(request, response, await readCaller(request))
        } catch (error) {
          sendError(response, error, app.log)
        }
      },
      upgrade: async (request, socket, head) => hub.handleUpgrade(request, socket, head, await readCaller(request)),
    }
  }

  const connected = () =>
    [...viewers.connections].map(({ id, caller }) => ({ connectionId: id, principal: caller.principal as Principal }))
  const clients: App['hubs'] = {
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
  }
  return {
    endpoints: [
      mount(agentHub, agents.serve(createAgentHub(app, isStrict))),
      mount(viewerHub, viewers.serve(createViewerHub(app, isStrict))),
    ],
    clients,
    close: async () => {
      await Promise.all([agents.close(), viewers.close()])
    },
  }
}
