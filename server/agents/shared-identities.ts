import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Mutex } from '../../shared/mutex.ts'
import type { Machine, Rivals } from '../devices/tables.ts'
import type { Clock } from '../ground/clock.ts'

const windowMs = 5 * 60_000
/** Changes of the connected machine within the window that prove two machines. */
const changesOfTwo = 3
/** Both machines, each with a connection that is ending. */
const mostRefused = 4
/** Bounds the memory that hostile agents can occupy. */
const mostWatched = 10_000

interface Facts {
  name: string
  osDescription: string
  processorCount: number
  totalMemory: number
  macAddresses: readonly string[]
  localIpV4: string
  localIpV6: string
}

export function machineOf(facts: Facts, remoteAddress: string): Machine {
  const { name, osDescription, processorCount, totalMemory, localIpV4, localIpV6 } = facts
  const macAddresses = facts.macAddresses.toSorted()
  const addresses = [...new Set([localIpV4, localIpV6, remoteAddress])].filter((address) => address !== '')
  const machine = { name, osDescription, processorCount, totalMemory, macAddresses, addresses }
  return { id: createHash('sha256').update(JSON.stringify(machine)).digest('hex').slice(0, 32), ...machine }
}

const isSameHardware = (one: Machine, other: Machine) => {
  const factsOf = ({ id: _, addresses: __, ...facts }: Machine) => facts
  // PostgreSQL returns the members of stored JSON in another order.
  return isDeepStrictEqual(factsOf(one), factsOf(other))
}

/**
 * Returns the machine that a report comes from; undefined for neither, or if both look alike. A machine recorded at another
 * server is compared without its remote address.
 */
export function rivalOf([first, second]: Rivals, facts: Facts, remoteAddress: string): Machine | undefined {
  const [reported, withoutAddress] = [machineOf(facts, remoteAddress), machineOf(facts, '')]
  if (isSameHardware(first, second)) {
    return [first, second].find(({ id }) => id === reported.id || id === withoutAddress.id)
  }
  return [first, second].find((each) => isSameHardware(each, reported))
}

/** Connection with the machine of its reports. */
export interface MachineConnection {
  connectionId: string
  machine: Machine
}

interface Watched {
  changes: number[]
  /** The last connection that represented the device: its row may still hold the report of the one before. */
  holder: MachineConnection
  /** Connections that another machine has displaced. */
  displaced: Set<string>
  hasReturned: boolean
}

export interface Takeover {
  deviceId: string
  /** Displaced connection. */
  from: MachineConnection
  to: MachineConnection
}

/** Notices two machines with one identity, as after copying the folder of an agent (T47). */
export class SharedIdentities {
  readonly #clock: Clock
  readonly #watched = new Map<string, Watched>()
  /** Runs readings of the stored rows one at a time: a slow one that ends last would bring back older rows. */
  readonly #readings = new Mutex()
  /** Devices changed during the reading. */
  #changed: Set<string> | undefined
  /** Devices with two machines. */
  readonly rivals = new Map<string, Rivals>()
  /** Latest refused connections of devices with two machines. */
  readonly refused = new Map<string, readonly string[]>()
  /** Both machines of a device, and the id of the one that was chosen. */
  readonly settled = new Map<string, { rivals: Rivals; keptId: string }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Counts a change of the connection that represents a device, and returns whether it proves two machines: three
   * changes within five minutes, of which one returned to a displaced connection, as a single machine that reconnects
   * never does.
   */
  note({ deviceId, from, to }: Takeover): boolean {
    const known = this.#watched.get(deviceId)
    // The holder may report again before its first report is stored.
    if (from.machine.id === to.machine.id || known?.holder.connectionId === to.connectionId) {
      return false
    }
    const now = this.#clock.now()
    const changes = [...(known?.changes ?? []).filter((at) => now - at < windowMs), now]
    const isNew = changes.length === 1
    const displaced = (isNew ? new Set<string>() : known!.displaced).add(from.connectionId)
    const hasReturned = (!isNew && known!.hasReturned) || displaced.has(to.connectionId)
    this.#watched.delete(deviceId)
    if (changes.length >= changesOfTwo && hasReturned) {
      this.#noteChange(deviceId)
      this.rivals.set(deviceId, [from.machine, to.machine])
      return true
    }
    this.#watched.set(deviceId, { changes, holder: to, displaced, hasReturned })
    const [oldest] = this.#watched.keys()
    if (this.#watched.size > mostWatched && oldest !== undefined) {
      this.#watched.delete(oldest)
    }
    return false
  }

  isWatched(deviceId: string): boolean {
    return this.#watched.has(deviceId)
  }

  /** The machine of a connection, if it is the last one that took a device over. */
  holderOf(deviceId: string, connectionId: string): MachineConnection | undefined {
    const holder = this.#watched.get(deviceId)?.holder
    return holder?.connectionId === connectionId ? holder : undefined
  }

  noteRefused(deviceId: string, connectionId: string): void {
    const known = this.refused.get(deviceId) ?? []
    this.refused.set(deviceId, [...known, connectionId].slice(-mostRefused))
  }

  /** Runs a reading of the stored rows, which skips the devices in `changed`: their rows may be older than this memory. */
  read(reading: (changed: ReadonlySet<string>) => Promise<void>): Promise<void> {
    return this.#readings.run(async () => {
      const changed = new Set<string>()
      this.#changed = changed
      try {
        await reading(changed)
      } finally {
        this.#changed = undefined
      }
    })
  }

  #noteChange(deviceId: string): void {
    this.#changed?.add(deviceId)
  }

  forget(deviceId: string): void {
    this.#noteChange(deviceId)
    for (const map of [this.#watched, this.rivals, this.refused, this.settled]) {
      map.delete(deviceId)
    }
  }
}
