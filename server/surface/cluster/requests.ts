import type { IncomingMessage } from 'node:http'
import { memberOf } from '../../../shared/contract/lenient.ts'
import type { App, OpenRouteCall } from '../../call/call.ts'
import type { Authenticate } from '../../credentials/authenticate.ts'
import { sessionOf } from '../../credentials/cookie.ts'
import type { Cluster, ClusterServer } from '../../engines/cluster/cluster.ts'
import { serverIn } from '../../engines/cluster/server-in.ts'
import { proofHeader, type Hops } from '../../engines/cluster/hop.ts'
import type { ClusterProxy } from '../../engines/cluster/proxy.ts'
import { queryOf } from '../../engines/http/contract/input.ts'
import type { BoundGroup } from '../../engines/http/contract/router.ts'
import { sendError } from '../../engines/http/web/error-handler.ts'
import { countedAddress, type RemoteAddressOf } from '../../engines/http/web/remote-address.ts'
import { pathOf } from '../../engines/http/web/request.ts'
import type { Listener, Response } from '../../engines/http/web/response.ts'
import type { Endpoint } from '../../engines/http/web/upgrade.ts'
import { AppError } from '../../ground/errors.ts'
import { untilCurrent } from '../authorize.ts'
import type { ClusterBytes } from './cluster-bytes.ts'
import { guestDeviceOf, liveDeviceReader } from './live-routes.ts'
import type { RelayHomes } from './relay-homes.ts'
import { SessionsElsewhere } from './sessions-elsewhere.ts'

export interface ForwardingOptions {
  app: App
  cluster: Cluster
  hops: Hops
  proxy: ClusterProxy
  relayHomes: RelayHomes
  addressOf: RemoteAddressOf
  authenticate: Authenticate
  bytes: ClusterBytes
  groups: readonly BoundGroup<OpenRouteCall>[]
}

/** Passes requests to the server that can answer them. */
export interface Forwarding {
  /** A listener that passes requests on, and serves all others as `listener` does. */
  around(listener: Listener): Listener
  /** Endpoints whose upgrades are passed on likewise. */
  endpoints(endpoints: readonly Endpoint[]): Endpoint[]
}

export const lost = () =>
  new AppError(503, 'The server that holds this device ended the connection. Try again.', {
    headers: { 'retry-after': '2' },
  })

/** A client that forges a hop would be served as a server is (T50); the hop of a server may be late, or for its earlier run. */
const unverified = () =>
  new AppError(503, 'This server cannot verify that another server passed this request on. Try again.', {
    headers: { 'retry-after': '2' },
  })

const textIn = (request: IncomingMessage, name: string): string | undefined => {
  const value = memberOf(queryOf(request), name)
  return typeof value === 'string' ? value : undefined
}

/**
 * Whether all servers may be asked for a request: a stranger has one server work, not each of them (T40). For a session its
 * cookie is enough: authenticating here would use up a page ticket, which the other server has to find unused. A rejection
 * holds for the whole request, so it waits until the mirrors know new credentials.
 */
const isKnown = async (app: App, authenticate: Authenticate, request: IncomingMessage) => {
  try {
    await untilCurrent(app)
    return sessionOf(app, request) !== undefined || (await authenticate(request)) !== undefined
  } catch {
    return false
  }
}

/**
 * Requests belong to another server by the token of a hub connection, by the device of a route that needs its agent, by
 * the session of the relay, or by the device whose terminal a guest sees. A request that another server has passed on is
 * served here, whatever it names: it travels once. A request whose hop does not verify is rejected.
 */
export function createForwarding({
  app,
  cluster,
  hops,
  proxy,
  relayHomes,
  groups,
  addressOf,
  authenticate,
  bytes,
}: ForwardingOptions): Forwarding {
  const liveDeviceOf = liveDeviceReader(groups)
  const otherServer = (id: string | undefined) =>
    id === undefined || id === cluster.id ? undefined : cluster.server(id)
  /** The server that a request belongs to; undefined for this one. */
  const targetOf = (request: IncomingMessage): ClusterServer | undefined => {
    if (hops.of(request) !== undefined) {
      return undefined
    }
    const path = pathOf(request).toLowerCase()
    const token = path.startsWith('/hubs/') ? textIn(request, 'id') : undefined
    if (token !== undefined) {
      return otherServer(serverIn(token))
    }
    const deviceId = liveDeviceOf(request) ?? guestDeviceOf(app, request)
    const connectionId = deviceId === undefined ? '' : (app.fleet.get(deviceId)?.connectionId ?? '')
    return connectionId === '' ? undefined : otherServer(serverIn(connectionId))
  }
  const relayTargetOf = async (request: IncomingMessage): Promise<ClusterServer | undefined> => {
    const sessionId = textIn(request, 'sessionid')?.toLowerCase()
    if (hops.of(request) !== undefined || sessionId === undefined) {
      return undefined
    }
    const isDevice = textIn(request, 'role')?.toLowerCase() === 'responder'
    return otherServer(await relayHomes.serverOf(sessionId, isDevice ? undefined : countedAddress(addressOf(request))))
  }
  const sessions = new SessionsElsewhere(app, cluster, proxy)
  /** Passes a request on; false if this server has to serve it. `sessionId`: what it names and is not live here. */
  const passOn = async (request: IncomingMessage, response: Response, sessionId?: string): Promise<boolean> => {
    const isList = sessions.isList(request)
    if ((sessionId !== undefined || isList) && !(await isKnown(app, authenticate, request))) {
      return false
    }
    if (isList) {
      return await sessions.answerList(request, response)
    }
    const target = sessionId === undefined ? targetOf(request) : await sessions.serverOf(sessionId)
    // A server that cannot be reached may have died: this one has the rows, and says what else is missing.
    return target !== undefined && (await proxy.pass(target, request, response))
  }
  return {
    around: (listener) => (request, response) => {
      if (hops.isUnverified(request)) {
        sendError(response, unverified(), app.log)
        return
      }
      const proof = hops.answerTo(request)
      if (proof !== undefined) {
        response.writeHead(200, { [proofHeader]: proof }).end()
        return
      }
      if (bytes.serve(request, response)) {
        return
      }
      const sessionId = hops.of(request) === undefined ? sessions.strangerIn(request) : undefined
      const isOfSessions = sessionId !== undefined || sessions.isList(request)
      if (hops.of(request) !== undefined || (!isOfSessions && targetOf(request) === undefined)) {
        listener(request, response)
        return
      }
      passOn(request, response, sessionId).then(
        (isDone) => {
          if (!isDone) {
            listener(request, response)
          }
        },
        () => sendError(response, lost(), app.log),
      )
    },
    endpoints: (endpoints) =>
      endpoints.map((endpoint) => {
        const { upgrade } = endpoint
        return upgrade === undefined
          ? endpoint
          : {
              ...endpoint,
              async upgrade(request, socket, head) {
                if (hops.isUnverified(request)) {
                  throw unverified()
                }
                const target = endpoint.path === '/relay' ? await relayTargetOf(request) : targetOf(request)
                if (target === undefined || !(await proxy.passUpgrade(target, request, socket, head))) {
                  await upgrade.call(endpoint, request, socket, head)
                }
              },
            }
      }),
  }
}
