import { totalmem } from 'node:os'
import { isLoopback } from './remote-address.ts'

/** Memory of a connection of an agent with its device, over TLS. */
const connectionBytes = 64 * 1024
/** Share of the memory of this computer that connections may use. */
const memoryShare = 0.5
/** Connections that one process handles, whatever its memory: reports of more devices take more than a processor. */
const mostUsual = 100_000
/** Open files for everything else: database, transfers, logs. */
const otherFiles = 1_000
const filesIfUnknown = 20_000

/** Reason for the limit of all connections. */
export type Bound = 'setting' | 'memory' | 'files' | 'processor'

export interface Machine {
  memoryBytes: number
  /** Files and sockets that the system lets this process open. */
  openFiles: number
}

/** Chosen by the operator; undefined members follow the machine. */
export interface ChosenLimits {
  maxConnections: number | undefined
  maxConnectionsPerAddress: number | undefined
}

/** Reads how many files the system lets this process open; infinite where it sets no limit, as on Windows. */
function readOpenFiles(): number {
  try {
    // Without it, names of peers would be looked up. Known to Node, but not to its published types.
    const report = Object.assign(process.report, { excludeNetwork: true })
    const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
    const openFiles = Number(userLimits?.open_files?.soft)
    return Number.isFinite(openFiles) ? openFiles : Infinity
  } catch {
    // A program that embeds Node may have no reports.
    return filesIfUnknown
  }
}

/** Limit of open files, read once: a report of Node takes 20 ms. */
let openFiles: number | undefined

/** Reads memory and open files of this process; a container may have less than the computer. */
export const readMachine = (): Machine => ({
  memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Infinity),
  openFiles: (openFiles ??= readOpenFiles()),
})

/**
 * Limits of open connections: in total, per address (which may serve a whole office), and from this machine, whose
 * programs and proxies share an address. Each single limit leaves room for others.
 */
export class ConnectionLimits {
  readonly total: number
  readonly bound: Bound
  readonly #ofOneAddress: number
  readonly #ofLoopback: number

  constructor({ memoryBytes, openFiles }: Machine, { maxConnections, maxConnectionsPerAddress }: ChosenLimits) {
    const byMemory = Math.floor((memoryBytes * memoryShare) / connectionBytes)
    const byFiles = openFiles - Math.min(otherFiles, openFiles / 4)
    const wanted: [number, Bound] =
      maxConnections === undefined
        ? byMemory < mostUsual
          ? [byMemory, 'memory']
          : [mostUsual, 'processor']
        : [maxConnections, 'setting']
    const [total, bound] = byFiles < wanted[0] ? ([byFiles, 'files'] as const) : wanted
    this.total = Math.floor(total)
    this.bound = bound
    this.#ofLoopback = Math.floor(this.total * 0.8)
    this.#ofOneAddress = Math.min(this.total, maxConnectionsPerAddress ?? Math.floor(this.total / 5))
  }

  /** Limit of hub connections of a peer, whatever proxies it uses. */
  ofPeer(address: string): number {
    return isLoopback(address) ? Math.max(this.#ofLoopback, this.#ofOneAddress) : this.#ofOneAddress
  }

  /** Limit of sockets of an address. A trusted proxy carries many peers: the hubs limit each of these peers. */
  ofSocket(address: string, isProxy: boolean): number {
    return isProxy && !isLoopback(address) ? this.total : this.ofPeer(address)
  }
}
