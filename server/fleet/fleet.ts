import type { Clock } from '../ground/clock.ts'
import type { Batch, Database, Touched } from '../engines/database/database.ts'
import type { DeviceReport } from './tables.ts'
import { claimOf, type SharedConnections } from './shared-connections.ts'
import { keysIn, Mirror } from '../call/mirrors/mirror.ts'
import { DeviceList, type FleetView } from './device-list.ts'
import { entryOf, type DeviceState, type FleetEntry } from './device-state.ts'
import { EncodedLists } from './encoded-devices.ts'
import { EntryChanges } from './entry-changes.ts'
import {
  claimSql,
  deviceReader,
  devicesSql,
  lastSeenSql,
  reportSql,
  unclaimSql,
  type StoredDevice,
  type DeviceUpdate,
} from './stored-device.ts'

type Entry = { -readonly [Member in keyof FleetEntry]: FleetEntry[Member] }

const isSameList = (a: readonly string[], b: readonly string[]) =>
  a === b || (a.length === b.length && a.every((text, index) => text === b[index]))

/** True if rights on the device are unchanged. */
const hasSamePlaces = (before: DeviceState, after: DeviceState) =>
  before.tenantId === after.tenantId &&
  before.customerId === after.customerId &&
  isSameList(before.groupIds, after.groupIds)

/** True if the searched texts are unchanged. */
const hasSameTexts = (before: DeviceState, after: DeviceState) =>
  before.name === after.name &&
  before.alias === after.alias &&
  before.dnsHostName === after.dnsHostName &&
  before.localIpV4 === after.localIpV4 &&
  before.localIpV6 === after.localIpV6 &&
  before.publicIpV4 === after.publicIpV4 &&
  before.publicIpV6 === after.publicIpV6 &&
  isSameList(before.macAddresses, after.macAddresses) &&
  isSameList(before.currentUsers, after.currentUsers)

/** Number of scopes cached for one state of the fleet. */
const maxScopes = 256

/** Callbacks for changes of the fleet. */
export interface FleetEvents {
  /** Called when a device's row, report or connection has changed. */
  changed(device: DeviceState): void
  /** Called with the snapshots before and after any change, heartbeats included. */
  replaced(before: DeviceState, after: DeviceState): void
  /** Called when a device has been deleted. */
  removed(deviceId: string): void
  /**
   * Called when a connection of this server no longer represents a device: the device was deleted, has another key, or is
   * `displacedFrom` this connection by another one.
   */
  connectionEnded(connectionId: string, displacedFrom?: string): void
}

export interface FleetDependencies {
  database: Database
  clock: Clock
  /** Set where several servers share the database. */
  shared?: SharedConnections | undefined
}

/** End of a connection that spoke for a device. */
interface Unclaim {
  id: string
  connectionId: string
  lastSeen: number
}

interface ReportOrigin {
  connectionId: string
  remoteAddress: string
  /** Key that verified the update; a device without a key gets this key. */
  key: string | null
  /** Timestamp of a signed update, in ticks. */
  ticks: number | null
  /** Make claimed by the agent; empty for none. */
  agentMake: string
  /** Whether that connection is still open. */
  isOpen(): boolean
}

/** Mirror of all devices, with presence and last report, so that reading devices needs no query. */
export class Fleet extends Mirror<StoredDevice, Entry> {
  protected readonly sql = devicesSql
  protected override readonly order = 'createdAt, id'
  readonly #read = deviceReader()
  readonly #clock: Clock
  readonly #events: FleetEvents
  readonly #online = new Set<string>()
  readonly #report: Batch<DeviceUpdate>
  readonly #lastSeen: Batch<Pick<DeviceUpdate, 'id' | 'lastSeen'>>
  readonly #shared: SharedConnections | undefined
  readonly #claim: Batch<DeviceUpdate>
  readonly #unclaim: Batch<Unclaim>
  readonly #scopes = new Map<object, DeviceList>()
  readonly #changes = new EntryChanges()
  #all: DeviceList | undefined
  #fleetView: FleetView | undefined

  constructor({ database, clock, shared }: FleetDependencies, events: FleetEvents) {
    super(database)
    this.#clock = clock
    this.#events = events
    const key = ({ id }: { id: string }) => id
    this.#report = database.batch({ sql: reportSql, key, merge: mergeUpdates, isFollowedByCaller: true })
    this.#lastSeen = database.batch({ sql: lastSeenSql, key, isFollowedByCaller: true })
    this.#shared = shared
    this.#claim = database.batch({ sql: claimSql, key })
    this.#unclaim = database.batch({ sql: unclaimSql, key })
  }

  override keysOf(touched: Touched): Iterable<string> {
    const customerIds = new Set(keysIn(touched, 'customers'))
    const named = customerIds.size === 0 ? [] : [...this.all]
    return [
      ...keysIn(touched, 'devices', 'device_tags', 'device_group_members'),
      ...named.flatMap(({ id, customerId }) => (customerId !== null && customerIds.has(customerId) ? id : [])),
    ]
  }

  protected override entryOf(row: StoredDevice, _: readonly StoredDevice[], known: Entry | undefined): Entry {
    const device = this.#read(row)
    const claimed = this.#shared && claimOf(this.#shared, row)
    if (!known) {
      return entryOf(claimed === undefined ? device : { ...device, connectionId: claimed })
    }
    const { connectionId, publicKey, lastSeen } = known.device
    const hasOtherKey = publicKey !== null && publicKey !== device.publicKey
    const next = hasOtherKey ? '' : (claimed ?? connectionId)
    this.#put(known, { ...device, lastSeen: Math.max(lastSeen, device.lastSeen), connectionId: next })
    if (connectionId !== next) {
      this.#end(connectionId, next === '' ? undefined : device.id)
    }
    return known
  }

  protected override added(): void {
    this.#invalidateLists()
  }

  protected override removed(id: string, { device }: Entry): void {
    this.#online.delete(id)
    this.#invalidateLists()
    this.#end(device.connectionId)
    this.#events.removed(id)
  }

  protected override changed(ids: readonly string[]): void {
    for (const id of ids) {
      const device = this.get(id)
      if (device) {
        this.#events.changed(device)
      }
    }
  }

  protected override storedOf({ device: { connectionId: _, lastSeen: __, ...stored } }: Entry): unknown {
    return { ...stored, groupIds: stored.groupIds.toSorted(), tagIds: stored.tagIds.toSorted() }
  }

  get(id: string): DeviceState | undefined {
    return this.held.get(id)?.device
  }

  get size(): number {
    return this.held.size
  }

  /** Number of devices with a connected agent. */
  get onlineCount(): number {
    return this.#online.size
  }

  /** Ids of devices with a connected agent. */
  onlineIds(): Iterable<string> {
    return this.#online
  }

  get all(): DeviceList {
    return (this.#all ??= new DeviceList(this.#view()))
  }

  /** List of the devices that pass, cached by the function `isIn` until a device moves. */
  scope(isIn: (device: DeviceState) => boolean): DeviceList {
    const known = this.#scopes.get(isIn)
    if (known) {
      return known
    }
    if (this.#scopes.size >= maxScopes) {
      this.#scopes.clear()
    }
    const scope = new DeviceList(this.#view(), isIn)
    this.#scopes.set(isIn, scope)
    return scope
  }

  /**
   * Stores an agent's report; resolves after the commit. Undefined when the device or its key was removed meanwhile.
   */
  async report(id: string, report: DeviceReport, from: ReportOrigin): Promise<DeviceState | undefined> {
    const entry = this.held.get(id)
    if (!entry) {
      return undefined
    }
    const update = {
      ...report,
      id,
      lastSeen: this.#clock.now(),
      agentMake: from.agentMake,
      ...publicAddress(from.remoteAddress, entry.device),
    }
    const isClaim = this.#shared !== undefined && entry.device.connectionId !== from.connectionId
    if (!(await this.#store(update, from, isClaim))) {
      return undefined
    }
    const { publicKey } = entry.device
    if (this.held.get(id) !== entry || (publicKey !== null && publicKey !== from.key)) {
      return undefined
    }
    if (isClaim) {
      const { connectionId } = entry.device
      if (connectionId !== from.connectionId && from.isOpen()) {
        // Another connection has claimed the device before the mirror read the row.
        this.#end(from.connectionId, connectionId === '' ? undefined : id)
      }
      return entry.device
    }
    // The connection may have ended during the commit; no later event would mark the device offline.
    const connectionId = from.isOpen() ? from.connectionId : ''
    const newestUpdate = newerOf(entry.device.newestUpdate, from.ticks)
    this.#put(entry, { ...entry.device, ...update, publicKey: from.key, connectionId, newestUpdate })
    this.#events.changed(entry.device)
    return entry.device
  }

  /** Stores a report. False if, on several servers, another connection has claimed the device. */
  async #store(update: Omit<DeviceUpdate, 'key' | 'newestUpdate'>, from: ReportOrigin, isClaim: boolean) {
    const { key, ticks: newestUpdate, connectionId } = from
    if (!this.#shared) {
      await this.#report.run({ ...update, key, newestUpdate })
      return true
    }
    const batch = isClaim ? this.#claim : this.#report
    const { changes } = await batch.run({ ...update, key, newestUpdate, claimedBy: connectionId })
    if (!from.isOpen()) {
      // Its end may have been stored before its claim.
      await this.#unclaim.run({ id: update.id, connectionId, lastSeen: update.lastSeen })
    }
    return changes > 0
  }

  /** Marks a device offline if `connectionId` is still its connection. */
  async disconnect(id: string, connectionId: string): Promise<void> {
    const entry = this.held.get(id)
    const lastSeen = this.#clock.now()
    const isSpeaking = entry?.device.connectionId === connectionId
    if (isSpeaking) {
      this.#put(entry, { ...entry.device, connectionId: '', lastSeen })
      this.#events.changed(entry.device)
    }
    if (this.#shared) {
      await this.#unclaim.run({ id, connectionId, lastSeen })
    } else if (isSpeaking) {
      await this.#lastSeen.run({ id, lastSeen })
    }
  }

  #put(entry: Entry, device: DeviceState): void {
    const { device: before } = entry
    Object.assign(entry, entryOf(device))
    const isRenamed = !hasSameTexts(before, device)
    if (isRenamed) {
      entry.searchKeys = undefined
    }
    this.#changes.note(entry, isRenamed)
    if (!hasSamePlaces(before, device)) {
      this.#invalidateLists()
    }
    if (entry.isOnline) {
      this.#online.add(device.id)
    } else {
      this.#online.delete(device.id)
    }
    this.#events.replaced(before, device)
  }

  #view(): FleetView {
    return (this.#fleetView ??= {
      entries: [...this.held.values()],
      find: (id) => this.get(id),
      changes: this.#changes,
      encoded: new EncodedLists(),
    })
  }

  #invalidateLists(): void {
    this.#all = undefined
    this.#fleetView = undefined
    this.#scopes.clear()
  }

  #end(connectionId: string, displacedFrom?: string): void {
    // Another server follows the row itself.
    const isHere = this.#shared?.isHere(connectionId) ?? true
    if (connectionId !== '' && isHere) {
      this.#events.connectionEnded(connectionId, displacedFrom)
    }
  }
}

/** Same rule as in the SQL statement. */
const newerOf = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b))

/** Updates verified with different keys must not be merged, since one may be rejected. */
const mergeUpdates = (older: DeviceUpdate, newer: DeviceUpdate): DeviceUpdate | undefined =>
  older.key === newer.key ? { ...newer, newestUpdate: newerOf(older.newestUpdate, newer.newestUpdate) } : undefined

/** Sets the address column of the connection's family; the other column is unchanged. */
export const publicAddress = (
  remoteAddress: string,
  known: { publicIpV4: string; publicIpV6: string } = { publicIpV4: '', publicIpV6: '' },
) =>
  remoteAddress.includes(':')
    ? { publicIpV4: known.publicIpV4, publicIpV6: remoteAddress }
    : { publicIpV4: remoteAddress, publicIpV6: known.publicIpV6 }
