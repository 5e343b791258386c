import type { Cluster } from '../../engines/cluster/cluster.ts'
import { serverIn } from '../../engines/cluster/server-in.ts'
import type { Log } from '../../ground/log.ts'
import type { ReachedClients } from '../reached-clients.ts'

interface RemoteCall {
  connectionId: string
  target: string
  args: readonly unknown[]
}

const methods = { invoke: 'agent.invoke', send: 'agent.send', disconnect: 'agent.disconnect' }

/** Calls agents on all servers of a cluster, and answers the calls of other servers to agents here. */
export function clientsOfCluster(cluster: Cluster, log: Log, local: ReachedClients): ReachedClients {
  cluster.answer(methods.invoke, (body, signal) => {
    const { connectionId, target, args } = body as RemoteCall
    return local.invoke(connectionId, target, args, signal)
  })
  cluster.answer(methods.send, async (body) => {
    const { connectionId, target, args } = body as RemoteCall
    await local.client(connectionId).send(target, args)
  })
  cluster.answer(methods.disconnect, async (body) => local.disconnect(String(body)))
  const serverOf = (connectionId: string) => {
    const server = serverIn(connectionId)
    return server === cluster.id ? undefined : server
  }
  /** A client that is gone is no error for a message without an answer. */
  const tell = async (server: string, method: string, body: unknown) => {
    try {
      await cluster.ask(server, method, body)
    } catch (error) {
      log.debug({ err: error, server, method }, 'A message to an agent of another server was lost.')
    }
  }
  return {
    client(connectionId) {
      const server = serverOf(connectionId)
      return server === undefined
        ? local.client(connectionId)
        : { send: (target, args) => tell(server, methods.send, { connectionId, target, args } satisfies RemoteCall) }
    },
    invoke(connectionId, target, args, signal) {
      const server = serverOf(connectionId)
      return server === undefined
        ? local.invoke(connectionId, target, args, signal)
        : cluster.ask(server, methods.invoke, { connectionId, target, args } satisfies RemoteCall, signal)
    },
    disconnect(connectionId) {
      const server = serverOf(connectionId)
      if (server === undefined) {
        local.disconnect(connectionId)
      } else {
        void tell(server, methods.disconnect, connectionId)
      }
    },
  }
}
