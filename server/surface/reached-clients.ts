import type { Audience, HubServer } from '../engines/signalr/index.ts'

/** Calls to clients of a hub, on whichever server their connections are. */
export interface ReachedClients {
  client(connectionId: string): Audience
  invoke(connectionId: string, target: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>
  disconnect(connectionId: string): void
}

export const localClients = ({ clients, connections }: HubServer): ReachedClients => ({
  client: (connectionId) => clients.client(connectionId),
  invoke: (...call) => clients.invoke(...call),
  disconnect: (connectionId) => connections.get(connectionId)?.abort({ allowReconnect: true }),
})
