import { Mutex } from '../../shared/mutex.ts'
import type { NetworkInterfaceInfo } from 'node:os'

/** A network interface, physical or virtual, with its reachable addresses, best first. */
export interface OwnInterface {
  name: string
  addresses: string[]
}

export type ReadInterfaces = () => NodeJS.Dict<NetworkInterfaceInfo[]>

/** A pending reachability test from another device. */
export interface NetworkVisit {
  id: string
  codeHash: string
  expiresAt: number
  /** `from` is measured by this server; the rest is claimed by the device. */
  report: { at: number; from: string; address: string; browser: string } | undefined
}

/** Current state of serving the network. Changed by `serving.ts` alone, under a mutex. */
export class ServedNetwork {
  interfaces: readonly OwnInterface[] = []
  /** Further names of this machine, besides its own host name. */
  names: readonly string[] = []
  /** Ports opened because of the settings. */
  readonly ports = new Set<number>()
  /** Ports to close once the current request over them is answered. */
  readonly closing = new Set<number>()
  /** A port that could not be opened, and will be retried. */
  failedPort: number | undefined
  /** Why the network is not served although it should be. */
  problem: string | null = null
  /** True while an uploaded certificate is served. */
  hasUploaded = false
  /** True while certificates include the names of the network. */
  isNamed = false
  announcedAs: string | null = null
  /** Pending tests by the hash of their code. */
  readonly visits = new Map<string, NetworkVisit>()
  /** Locked by each change of the served network. */
  readonly changes = new Mutex()
}
