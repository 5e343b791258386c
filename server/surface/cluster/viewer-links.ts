import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { memberOf } from '../../../shared/contract/lenient.ts'
import { serverNotReached } from '../../../shared/dtos/hub-result.ts'
import { viewerHub } from '../../../shared/hubs/viewer-hub.ts'
import type { App } from '../../call/call.ts'
import type { Cluster } from '../../engines/cluster/cluster.ts'
import { serverIn } from '../../engines/cluster/server-in.ts'
import type { Hops } from '../../engines/cluster/hop.ts'
import type { ClusterProxy } from '../../engines/cluster/proxy.ts'
import { queryOf } from '../../engines/http/contract/input.ts'
import { ForwardedCalls, type HubConnection } from '../../engines/signalr/index.ts'

/** Time limit of a server to accept a link: one that hangs does not answer. */
const handshakeMs = 5_000

/** Methods on a device that need nothing of its agent. */
const ofRows = /^(GetDeviceAccessPermissions|StartDeviceAccessActivity)2?$/

/** Methods of viewers that need the agent of a device, by their names in lower case. */
const liveMethods = new Set(
  Object.entries(viewerHub.methods)
    .filter(([name, { access }]) => typeof access === 'object' && 'on' in access && !ofRows.test(name))
    .map(([name]) => name.toLowerCase()),
)

/** Headers of a connection that do not belong to the credential and the origin of its client. */
const ofConnection =
  /^(connection|upgrade|sec-websocket-.*|keep-alive|content-.*|transfer-encoding|accept-encoding|x-farhand-hop|te|expect)$/

/** Headers as this server read them: of a repeated one, the same value counts on both servers. */
const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ofConnection.test(name) ? [] : [[name, String(value)]],
    ),
  )

/** Address of a hub connection without its token: the rest may hold the credential. */
function pathOf({ url = '' }: IncomingMessage): string {
  const query = new URLSearchParams(url.split('?', 2)[1] ?? '')
  // Parameters of the connection itself, in any letter case.
  const own = query.keys().filter((name) => /^(id|_|negotiateversion)$/i.test(name))
  own.toArray().forEach((name) => query.delete(name))
  return query.size === 0 ? viewerHub.path : `${viewerHub.path}?${query.toString()}`
}

/** Whether a request belongs to a connection that was negotiated: a link is not, and its calls travel no further. */
const isNegotiated = (request: IncomingMessage) => memberOf(queryOf(request), 'id') !== undefined

export interface ViewerLinksOptions {
  app: App
  cluster: Cluster
  hops: Hops
  proxy: ClusterProxy
}

/** Passes calls about devices whose agents are on other servers to these servers, as the viewer itself. */
export function createViewerLinks({ app, cluster, hops, proxy }: ViewerLinksOptions): ForwardedCalls {
  /** Whether a connection is a link, by its request: an address of 16 kB takes 3 ms, and comes with every call (T26). */
  const links = new WeakMap<IncomingMessage, boolean>()
  const isLink = (request: IncomingMessage): boolean => {
    // Passed-on requests are links, and connections that were negotiated here.
    const is = links.get(request) ?? (hops.of(request) !== undefined && !isNegotiated(request))
    links.set(request, is)
    return is
  }
  return new ForwardedCalls({
    log: app.log,
    notReached: serverNotReached,
    serverOf({ caller: { request } }, target, args) {
      // A call is passed on once, as a request is.
      if (!liveMethods.has(target.toLowerCase()) || (request !== undefined && isLink(request))) {
        return undefined
      }
      const [first] = args
      const deviceId = typeof first === 'object' && first !== null ? memberOf(first, 'deviceId') : first
      const connectionId =
        typeof deviceId === 'string' ? (app.fleet.get(deviceId.toLowerCase())?.connectionId ?? '') : ''
      const server = connectionId === '' ? undefined : serverIn(connectionId)
      return server === cluster.id || server === undefined || !cluster.server(server) ? undefined : server
    },
    async connect(server, { caller: { request, remoteAddress } }: HubConnection) {
      const url = cluster.server(server)?.url
      if (url === undefined || request === undefined) {
        throw new Error('The server of the device is gone.')
      }
      const path = pathOf(request)
      const protocols = String(request.headers['sec-websocket-protocol'] ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
      return new WebSocket(new URL(path, url.replace(/^http/, 'ws')), protocols, {
        ...(url.startsWith('https:') && (await proxy.tls())),
        headers: {
          ...headersOf(request),
          ...hops.headersTo(server, { method: 'GET', url: path }, remoteAddress),
        },
        perMessageDeflate: false,
        handshakeTimeout: handshakeMs,
      })
    },
  })
}
