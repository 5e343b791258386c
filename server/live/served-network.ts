import { Mutex } from '../../shared/mutex.ts'
import type { NetworkInterfaceInfo } from 'node:os'

/** A network card, or what looks like one, with the addresses by which others may reach it, the best first. */
export interface OwnInterface {
  name: string
  addresses: string[]
}

export type ReadInterfaces = () => NodeJS.Dict<NetworkInterfaceInfo[]>

/** A question to another device, until it has answered or the time is over. */
export interface NetworkVisit {
  id: string
  codeHash: string
  expiresAt: number
  /** `from` is seen by us; the rest is what the device says. */
  report: { at: number; from: string; address: string; browser: string } | undefined
}

/** How the network is served now. Changed by services/network alone, one change after the other. */
export class ServedNetwork {
  interfaces: readonly OwnInterface[] = []
  /** What people call this machine, besides what it calls itself. */
  names: readonly string[] = []
  /** Ports that were opened for everybody because of the settings. */
  readonly ports = new Set<number>()
  /** Those of them that end as soon as a request that came over them is answered. */
  readonly closing = new Set<number>()
  /** A port that could not be opened, and is tried again. */
  failedPort: number | undefined
  /** Why it is not served although it is to be. */
  problem: string | null = null
  /** Whether a certificate that an administrator uploaded is shown. */
  hasUploaded = false
  /** Whether certificates are made for the names of the network. */
  isNamed = false
  /** Name by which it is announced. */
  announcedAs: string | null = null
  /** By the hash of the code. */
  readonly visits = new Map<string, NetworkVisit>()
  /** Held by each change of what is served. */
  readonly changes = new Mutex()
}
