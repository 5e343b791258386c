import type { IncomingMessage } from 'node:http'
import type { HubDefinition } from '../../shared/contract/hub.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import { pageProtocol } from '../../shared/page-key.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import type { Authenticate } from '../credentials/authenticate.ts'
import type { App } from '../call/call.ts'
import type { HubsClients } from '../call/clients.ts'
import type { Clock } from '../ground/clock.ts'
import { unauthorized } from '../ground/errors.ts'
import { FairQueue } from '../engines/flow/fair-queue.ts'
import { sendError } from '../engines/http/web/error-handler.ts'
import { countedAddress, type RemoteAddressOf } from '../engines/http/web/remote-address.ts'
import type { Origins } from '../engines/http/web/origins.ts'
import type { Endpoint } from '../engines/http/web/upgrade.ts'
import type { Log } from '../ground/log.ts'
import { refuseUnfinishedAccount } from '../people/unfinished-account.ts'
import { accountOf, identityOf, type Principal } from '../ground/principal.ts'
import {
  createHubServer,
  type Caller,
  type ForwardedCalls,
  type Hub,
  type HubServer,
  type UnprovedLimits,
} from '../engines/signalr/index.ts'
import { InputBudget } from '../engines/flow/input-budget.ts'
import { createAgentHub } from '../agents/agent.hub.ts'
import { untilCurrent } from './authorize.ts'
import { invokerOf, senderTo, type CallObserver } from './bind.ts'
import { createViewerHub } from '../remote/viewer.hub.ts'
import { localClients, type ReachedClients } from './reached-clients.ts'

/** Agents send large messages: a hundred directory entries with long paths exceed the default limit. */
const maxAgentMessageBytes = 1024 * 1024
const maxViewerMessageBytes = 100_000
/** Before an agent has proved its device, it sends and perhaps resends a single report with at most 250 drives. */
const unprovedAgent = { maxReceiveMessageBytes: 64 * 1024, maxMessageValues: 5_000, maxMessages: 32 }
/** A thousand directory entries contain ten thousand values. */
const maxMessageValues = 20_000
const maxParallelInvocations = 2
/** Unfinished messages of all known clients of a hub, and of one user or device on all its connections. */
const unfinishedBytes = { all: 256 * 1024 * 1024, share: 8 * 1024 * 1024 }
/** Unread output of all known clients of both hubs, and of one user or device on all its connections. */
const unsentBytes = { all: 256 * 1024 * 1024, share: 16 * 1024 * 1024 }

interface HubServersOptions {
  clock: Clock
  log: Log
  detailedErrors: boolean
  unprovedInput: InputBudget
  /** Maximum number of connections of a peer to one hub. */
  maxConnectionsOf: (address: string) => number
  joined: HubsOfCluster | undefined
}

/** Changes of the hubs of a server that others share its database with. */
export interface HubsOfCluster {
  /** End of every connection id and token, which names this server. */
  idSuffix: string
  /** Reaches the agents of all servers. */
  reach(local: ReachedClients): ReachedClients
}

/** State of an agent connection before it has proved a device: the origin by which it reaches this server. */
interface AgentOrigin {
  origin: string
}

const maxSharedOrigins = 100

/** Shares equal origins, because many agents connect by few names. */
function originSharer(): (origin: string) => AgentOrigin {
  const shared = new Map<string, AgentOrigin>()
  return (origin) => {
    const known = shared.get(origin) ?? { origin }
    if (shared.size < maxSharedOrigins) {
      shared.set(origin, known)
    }
    return known
  }
}

/** Both hub servers, before their hubs are mounted. */
export interface HubServers {
  agents: HubServer
  viewers: HubServer
  /** Clients of both hubs, for calls by the rest of the product. */
  clients: HubsClients
  /** Lets clients reconnect to other servers, `perSecond` at most, until `signal` aborts. */
  drain(perSecond: number, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Creates both hub servers. Sending works at once; `mountHubs` accepts connections. */
export function createHubServers({
  clock,
  log,
  detailedErrors,
  unprovedInput,
  maxConnectionsOf,
  joined,
}: HubServersOptions): HubServers {
  const unsent = new InputBudget(unsentBytes)
  const createServer = (maxReceiveMessageBytes: number, unproved?: UnprovedLimits) =>
    createHubServer({
      clock,
      log,
      options: {
        maxReceiveMessageBytes,
        maxMessageValues,
        unproved,
        unfinished: new InputBudget(unfinishedBytes),
        unsent,
        maxParallelInvocations,
        maxConnectionsOf,
        countedAddressOf: countedAddress,
        subprotocol: pageProtocol,
        ...(joined && { idSuffix: joined.idSuffix }),
        detailedErrors,
      },
    })
  const agents = createServer(maxAgentMessageBytes, {
    ...unprovedAgent,
    input: unprovedInput,
    queue: new FairQueue(),
  })
  const viewers = createServer(maxViewerMessageBytes)
  const localAgents = localClients(agents)
  const reached = joined?.reach(localAgents) ?? localAgents
  const connected = () =>
    [...viewers.connections].map(({ id, caller }) => ({ connectionId: id, principal: caller.principal as Principal }))
  return {
    agents,
    viewers,
    clients: {
      agent: {
        send: (connectionId) => senderTo(reached.client(connectionId)),
        invoke: (connectionId, signal) => invokerOf(reached, connectionId, signal),
        originOf: (connectionId) =>
          (agents.connections.get(connectionId)?.caller.principal as AgentOrigin | undefined)?.origin,
        addressOf: (connectionId) => agents.connections.get(connectionId)?.caller.remoteAddress ?? '',
        isAwaited: (connectionId) => agents.clients.isAwaited(connectionId),
        disconnect: (connectionId) => reached.disconnect(connectionId),
        nearest: () => agents.nearest,
      },
      viewer: {
        send: (...connectionIds) => senderTo(viewers.clients.clients(connectionIds)),
        invoke: (connectionId, signal) => invokerOf(viewers.clients, connectionId, signal),
        principalOf: (connectionId) => viewers.connections.get(connectionId)?.caller.principal as Principal | undefined,
        isConnected: (connectionId) => viewers.connections.get(connectionId)?.signal.aborted === false,
        connected,
        nearest: () => viewers.nearest,
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
    // Pages do not wait for agents: a copy or a question at a device may take longer than the drain. Other servers pass calls of
    // their viewers on to the devices that are still here.
    async drain(perSecond, signal) {
      await Promise.all([agents.drain(perSecond, signal), viewers.drain(perSecond, signal)])
    },
    // Viewers first: the end of this server must not look like the end of every device.
    close: async () => {
      await viewers.close()
      await agents.close()
    },
  }
}

interface HubsOptions {
  isStrict: boolean
  authenticate: Authenticate
  remoteAddressOf: RemoteAddressOf
  origins: Origins
  observer?: CallObserver | undefined
  /** Passes calls of viewers to the servers that hold their devices. */
  viewerLinks?: ForwardedCalls | undefined
}

/** Returns a function that authenticates a hub request. Throws 401 or 403. */
function callerReader(app: App, definition: HubDefinition, { authenticate, remoteAddressOf, origins }: HubsOptions) {
  const shareOrigin = originSharer()
  return async (request: IncomingMessage): Promise<Caller> => {
    origins.checkHost(request)
    origins.checkOrigin(request)
    await untilCurrent(app)
    const remoteAddress = remoteAddressOf(request)
    if (definition.access === 'anonymous') {
      return { principal: shareOrigin(origins.originOf(request)), userId: undefined, remoteAddress }
    }
    const principal = await authenticate(request)
    if (!principal) {
      throw unauthorized()
    }
    refuseUnfinishedAccount(app, principal)
    const [identity, payer] = [identityOf(principal), accountOf(principal)]
    return { principal, userId: principal.id, identity, payer, remoteAddress, request }
  }
}

/** Mounts both hubs and returns their endpoints. */
export function mountHubs(app: App, { agents, viewers }: HubServers, options: HubsOptions): Endpoint[] {
  const mount = (definition: HubDefinition, server: HubServer, hub: Hub): Endpoint => {
    const endpoint = server.serve(hub)
    const readCaller = callerReader(app, definition, options)
    return {
      path: definition.path,
      below: ['negotiate'],
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
    mount(agentHub, agents, createAgentHub(app, options)),
    mount(viewerHub, viewers, createViewerHub(app, { ...options, forward: options.viewerLinks?.forward })),
  ]
}
