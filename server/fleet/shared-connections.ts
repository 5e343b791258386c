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

/** Whether another server holds a device, by its connection. */
export const isHeldElsewhere = (
  cluster: { id: string } | undefined,
  { connectionId }: { connectionId: string },
): boolean => cluster !== undefined && connectionId !== '' && serverIn(connectionId) !== cluster.id

/** The connection that a stored row names; empty for one of this server that has ended, whose row follows soon. */
export const claimOf = ({ isHere, isOpen }: SharedConnections, { connectionId }: { connectionId: string }): string =>
  isHere(connectionId) && !isOpen(connectionId) ? '' : connectionId
