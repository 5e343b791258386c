import type { Cluster } from '../../engines/cluster/cluster.ts'
import type { Hops } from '../../engines/cluster/hop.ts'
import type { ClusterProxy } from '../../engines/cluster/proxy.ts'
import { serverIn } from '../../engines/cluster/server-in.ts'
import type { RouteHost } from '../../engines/http/contract/router.ts'
import type { OpenRouteCall } from '../../call/call.ts'
import type { ServerResources } from '../authorize.ts'
import { isLiveByBody } from './live-routes.ts'
import { lost } from './requests.ts'

export interface LiveBodiesOptions {
  cluster: Cluster
  hops: Hops
  proxy: ClusterProxy
}

/**
 * Passes requests whose device is in the body to the server of its agent. Only requests that were read within the limits
 * and permitted here: a stranger has one server work (T40).
 */
export const passOnByBody =
  ({ cluster, hops, proxy }: LiveBodiesOptions): NonNullable<RouteHost<OpenRouteCall>['elsewhere']> =>
  (request, definition, things) => {
    if (!isLiveByBody(definition) || hops.of(request) !== undefined) {
      return undefined
    }
    const { device } = things as Pick<ServerResources, 'device'>
    const server = cluster.server(serverIn(device.connectionId))
    if (server === undefined || server.id === cluster.id) {
      return undefined
    }
    return async (response, body) => {
      if (!(await proxy.pass(server, request, response, JSON.stringify(body)).catch(() => false))) {
        throw lost()
      }
    }
  }
