import type { Touched } from '../engines/database/database.ts'
import { keysIn, Mirror } from '../call/mirrors/mirror.ts'

interface Watch {
  userId: string
  createdAt: number
}
type Row = Watch & { key: string }

const none: readonly Watch[] = []

/** Mirror of the watched devices, which each connection of a device asks. */
export class AlertWatches extends Mirror<Row, readonly Watch[]> {
  protected readonly sql = 'SELECT deviceId AS key, userId, createdAt FROM alert_watches'
  protected override readonly order = 'createdAt, userId'

  #changed = new Set<string>()

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'alert_watches')
  }

  protected override entryOf(_: Row, rows: readonly Row[]): readonly Watch[] {
    return rows
      .map(({ userId, createdAt }) => ({ userId, createdAt }))
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.userId < b.userId ? -1 : 1))
  }

  protected override changed(deviceIds: readonly string[]): void {
    deviceIds.forEach((id) => this.#changed.add(id))
  }

  /** Devices whose watches have changed since the last call. */
  takeChanged(): Set<string> {
    const taken = this.#changed
    this.#changed = new Set()
    return taken
  }

  /** People who want to know when a device is back. */
  of(deviceId: string): readonly Watch[] {
    return this.held.get(deviceId) ?? none
  }

  /** Devices that a person watches, with the time since when. */
  ofUser(userId: string): { deviceId: string; createdAt: number }[] {
    return [...this.held].flatMap(([deviceId, watches]) =>
      watches.flatMap((watch) => (watch.userId === userId ? [{ deviceId, createdAt: watch.createdAt }] : [])),
    )
  }
}
