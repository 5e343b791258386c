import { serverIn } from '../engines/cluster/server-in.ts'

/**
 * Connections of agents where several servers share the database. The row of a device names its connection; the last one
 * that was claimed there holds the device, on whichever server.
 */
export interface SharedConnections {
  /** Whether a connection belongs to this server, open or not. */
  isHere(connectionId: string): boolean
  /** Whether a connection of this server is open. */
  isOpen(connectionId: string): boolean
}

/** The connection that a stored row names; empty for one of this server that has ended, whose row follows soon. */
export const claimOf = ({ isHere, isOpen }: SharedConnections, { connectionId }: { connectionId: string }): string =>
  isHere(connectionId) && !isOpen(connectionId) ? '' : connectionId

/** Whether a connection, if any, belongs to another server. */
export const isElsewhere = (cluster: { id: string }, connectionId: string): boolean =>
  connectionId !== '' && serverIn(connectionId) !== cluster.id

interface Joined {
  /** The servers of the database; undefined for one alone. */
  cluster: { id: string; server(id: string): { id: string } | undefined } | undefined
  servers: { hasWork: boolean }
}

/** Whether this server looks after a device with this connection: it holds the agent, or none does and it has the work for all. */
export function looksAfter({ cluster, servers }: Joined, connectionId: string): boolean {
  const holder = connectionId === '' ? undefined : cluster?.server(serverIn(connectionId))
  return cluster === undefined || (holder ? holder.id === cluster.id : servers.hasWork)
}
