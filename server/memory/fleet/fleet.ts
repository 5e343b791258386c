import type { Clock } from '../../clock.ts'
import type { Batch, Database } from '../../database.ts'
import { createTurns } from '../../turns.ts'
import { readReport, reportColumns, type StoredReport } from '../../models/device-columns.ts'
import type { DeviceReport, DeviceRow, DeviceState, FleetEntry } from '../../models/device.ts'

/** One device update on its way into the database. */
interface StoredUpdate extends DeviceReport {
  id: string
  lastSeen: number
  publicIpV4: string
  publicIpV6: string
  /** To store for a device that has none. */
  key: string | null
}

/** Columns that an update sets, as SQL over one JSON object `u.value`. */
const updatedColumns = ['lastSeen', 'publicIpV4', 'publicIpV6', ...reportColumns] satisfies (keyof StoredUpdate)[]

const assignments = updatedColumns.map((column) => `${column} = u.value ->> '${column}'`)

const updateSql = `UPDATE devices SET ${assignments.join()}, publicKey = coalesce(publicKey, u.value ->> 'key')
  FROM jsonb_each(?) AS u WHERE devices.id = u.value ->> 'id' RETURNING devices.id AS key`

const lastSeenSql = `UPDATE devices SET lastSeen = u.value ->> 'lastSeen' FROM jsonb_each(?) AS u
  WHERE devices.id = u.value ->> 'id' RETURNING devices.id AS key`

/** What a device belongs to. */
type Belonging = Pick<DeviceState, 'customerId' | 'customerName' | 'groupIds' | 'tagIds'>

const belongingColumns = `d.customerId, (SELECT name FROM customers WHERE id = d.customerId) AS customerName,
  (SELECT json_group_array(groupId) FROM device_group_members WHERE deviceId = d.id) AS groupIds,
  (SELECT json_group_array(tagId) FROM device_tags WHERE deviceId = d.id) AS tagIds`

interface StoredBelonging {
  customerId: string | null
  customerName: string | null
  groupIds: string
  tagIds: string
}

const parsedBelonging = ({ customerId, customerName, groupIds, tagIds }: StoredBelonging): Belonging => ({
  customerId,
  customerName,
  groupIds: JSON.parse(groupIds) as string[],
  tagIds: JSON.parse(tagIds) as string[],
})

interface StoredDevice extends Omit<DeviceRow, keyof DeviceReport | 'customerId'>, StoredReport, StoredBelonging {}

const parsed = (row: StoredDevice): DeviceState => ({
  ...row,
  ...readReport(row),
  ...parsedBelonging(row),
  connectionId: '',
})

interface Entry extends FleetEntry {
  device: DeviceState
  isOnline: boolean
  isTagged: boolean
}

export const entryOf = (device: DeviceState): Entry => ({
  device,
  isOnline: device.connectionId !== '',
  isTagged: device.tagIds.length > 0,
})

const isSameList = (a: readonly string[], b: readonly string[]) =>
  a === b || (a.length === b.length && a.every((text, index) => text === b[index]))

/** Whether a device is still in the same places, so that rights on it are the same. */
const staysInPlace = (before: DeviceState, after: DeviceState) =>
  before.tenantId === after.tenantId &&
  before.customerId === after.customerId &&
  isSameList(before.groupIds, after.groupIds)

/** Whether the texts that are searched and sorted by are the same. */
const keepsTexts = (before: DeviceState, after: DeviceState) =>
  before.name === after.name &&
  before.alias === after.alias &&
  before.dnsHostName === after.dnsHostName &&
  before.osDescription === after.osDescription &&
  before.agentVersion === after.agentVersion &&
  isSameList(before.currentUsers, after.currentUsers)

/**
 * Every device, in memory: presence and the last report are read from here, never from the database. Memory follows the
 * commit, so nobody is told what could still be lost.
 */
export class Fleet {
  readonly #database: Database
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #online = new Set<string>()
  #stateVersion = 0
  #list: readonly Entry[] | undefined
  readonly #update: Batch<StoredUpdate>
  readonly #lastSeen: Batch<Pick<StoredUpdate, 'id' | 'lastSeen'>>
  readonly #inOrder = createTurns()
  /** Devices that wait to be read again, and the reading that will take them. */
  readonly #stale = new Set<string>()
  #refreshing: Promise<void> | undefined

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
    this.#update = database.batch({ sql: updateSql, key: ({ id }) => id })
    this.#lastSeen = database.batch({ sql: lastSeenSql, key: ({ id }) => id })
  }

  async load(): Promise<void> {
    const rows = await this.#database.all<StoredDevice>(
      `SELECT d.*, ${belongingColumns} FROM devices AS d ORDER BY d.createdAt, d.id`,
    )
    for (const row of rows) {
      this.#entries.set(row.id, entryOf(parsed(row)))
    }
  }

  get(id: string): DeviceState | undefined {
    return this.#entries.get(id)?.device
  }

  get size(): number {
    return this.#entries.size
  }

  /** How many devices have a connected agent. */
  get onlineCount(): number {
    return this.#online.size
  }

  /**
   * Oldest first. The same array for as long as no device comes, goes, moves or is renamed: what rights and searches make
   * of it holds as long.
   */
  get entries(): readonly FleetEntry[] {
    return (this.#list ??= [...this.#entries.values()])
  }

  /** Another number whenever a device comes online, goes offline, gets its first tag or loses its last one. */
  get stateVersion(): number {
    return this.#stateVersion
  }

  /** Oldest first. */
  all(): Iterable<DeviceState> {
    return this.entries.values().map(({ device }) => device)
  }

  /**
   * Takes a row that has just been committed: a new device, or one that registered again. It is offline. What it
   * belongs to comes with `refresh`.
   */
  put(row: DeviceRow): DeviceState {
    const known = this.get(row.id)
    if (known) {
      return this.change(row.id, { ...row, customerId: known.customerId, connectionId: '' })!
    }
    const device = { ...row, customerName: null, groupIds: [], tagIds: [], connectionId: '' }
    this.#entries.set(row.id, entryOf(device))
    this.#list = undefined
    return device
  }

  /** Takes committed changes of single members. */
  change(id: string, changes: Partial<Omit<DeviceState, 'id'>>): DeviceState | undefined {
    const entry = this.#entries.get(id)
    if (!entry) {
      return undefined
    }
    const { device: before, isOnline: wasOnline, isTagged: wasTagged } = entry
    Object.assign(entry, entryOf({ ...before, ...changes }))
    if (entry.isOnline !== wasOnline || entry.isTagged !== wasTagged) {
      this.#stateVersion++
    }
    const isRenamed = !keepsTexts(before, entry.device)
    if (isRenamed) {
      entry.searchKeys = undefined
    }
    if (isRenamed || !staysInPlace(before, entry.device)) {
      this.#list = undefined
    }
    if (entry.isOnline) {
      this.#online.add(id)
    } else {
      this.#online.delete(id)
    }
    return entry.device
  }

  /** Reads again what devices belong to: call after each commit that changed customers, group members or device tags. */
  refresh(ids: Iterable<string>): Promise<void> {
    for (const id of ids) {
      this.#stale.add(id)
    }
    return (this.#refreshing ??= this.#inOrder(async () => {
      // Whoever calls from here on committed after this query may have begun, and gets one of their own.
      const wanted = JSON.stringify([...this.#stale])
      this.#stale.clear()
      this.#refreshing = undefined
      const rows = await this.#database.all<StoredBelonging & { id: string }>(
        `SELECT d.id, ${belongingColumns} FROM devices AS d WHERE d.id IN (SELECT value FROM json_each(?))`,
        [wanted],
      )
      for (const { id, ...row } of rows) {
        this.change(id, parsedBelonging(row))
      }
    }))
  }

  remove(id: string): void {
    this.#entries.delete(id)
    this.#online.delete(id)
    this.#list = undefined
  }

  /** Stores what the agent reported; resolves after the commit. The device, or its key, may be gone by then: undefined. */
  async report(id: string, report: DeviceReport, from: ReportOrigin): Promise<DeviceState | undefined> {
    const entry = this.#entries.get(id)
    if (!entry) {
      return undefined
    }
    const update = {
      ...report,
      id,
      lastSeen: this.#clock.now(),
      ...publicAddress(from.remoteAddress, entry.device),
    }
    await this.#update.run({ ...update, key: from.key })
    const { publicKey } = entry.device
    if (this.#entries.get(id) !== entry || (publicKey !== null && publicKey !== from.key)) {
      return undefined
    }
    // The connection may have ended during the commit, and nobody would mark the device offline after it.
    const connectionId = from.signal.aborted ? '' : from.connectionId
    return this.change(id, { ...update, publicKey: from.key, connectionId })
  }

  /** Marks a device offline if `connectionId` is still its connection; the device when it was. */
  async disconnect(id: string, connectionId: string): Promise<DeviceState | undefined> {
    if (this.get(id)?.connectionId !== connectionId) {
      return undefined
    }
    const lastSeen = this.#clock.now()
    const device = this.change(id, { connectionId: '', lastSeen })
    await this.#lastSeen.run({ id, lastSeen })
    return device
  }
}

interface ReportOrigin {
  connectionId: string
  remoteAddress: string
  /** Key that the update was verified with; a device that has none takes it (ruling 4 of the contract). */
  key: string | null
  /** Aborts when that connection ends. */
  signal: AbortSignal
}

/** The connection's address in its family's column; the other keeps what was known. */
export const publicAddress = (
  remoteAddress: string,
  known: { publicIpV4: string; publicIpV6: string } = { publicIpV4: '', publicIpV6: '' },
) =>
  remoteAddress.includes(':')
    ? { publicIpV4: known.publicIpV4, publicIpV6: remoteAddress }
    : { publicIpV4: remoteAddress, publicIpV6: known.publicIpV6 }
