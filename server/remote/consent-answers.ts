import { filesVisitMs, longestFilesVisitMs, type ConsentAnswers as Reported } from '../../shared/dtos/consent.ts'
import type { HubResult } from '../../shared/dtos/hub-result.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { Clock } from '../ground/clock.ts'

const maxVisits = 10_000

const none: Reported = { standing: [], alwaysAsk: [] }

/**
 * Answers of the people at connected devices: standing answers, which agents report and enforce themselves, and visitors
 * who were let in to files.
 */
export class ConsentAnswers {
  readonly #clock: Clock
  /** By the connection of the agent. */
  readonly #reported = new Map<string, Reported>()
  /** Visits to files by their keys, with their ends on the monotonic clock. */
  readonly #files = new Map<string, { deviceId: string; tenantId: string; until: number; endsAt: number }>()

  readonly #asked = new Map<string, Promise<HubResult>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes the report of an agent. A change ends the visits to files that an earlier answer may have allowed. */
  report(device: { id: string; connectionId: string }, answers: Reported): void {
    const isFirst = !this.#reported.has(device.connectionId)
    this.#reported.set(device.connectionId, answers)
    if (!isFirst) {
      this.#endFiles(device.id)
    }
  }

  forget(connectionId: string): void {
    this.#reported.delete(connectionId)
  }

  /** True for agents that enforce rules: they report on connecting. */
  canAsk(connectionId: string): boolean {
    return this.#reported.has(connectionId)
  }

  /** Answers of the people at a device that are still in force. */
  answersOf(connectionId: string): Reported {
    const { standing, alwaysAsk } = this.#reported.get(connectionId) ?? none
    const now = this.#clock.now()
    return { standing: standing.filter(({ until }) => Date.parse(until) > now), alwaysAsk }
  }

  /** True while a visit to files is open; each use extends the visit, up to its longest time. */
  usesFiles(key: string): boolean {
    const visit = this.#files.get(key)
    const isOpen = visit !== undefined && visit.until > this.#clock.monotonic()
    if (isOpen) {
      visit.until = Math.min(this.#clock.monotonic() + filesVisitMs, visit.endsAt)
    }
    return isOpen
  }

  /** Requests that arrive together share one question. */
  async askOnce(key: string, ask: () => Promise<HubResult>): Promise<HubResult> {
    const asked = this.#asked.get(key) ?? ask().finally(() => this.#asked.delete(key))
    this.#asked.set(key, asked)
    return asked
  }

  beginFiles({ id: deviceId, tenantId }: Pick<DeviceState, 'id' | 'tenantId'>, key: string): void {
    const now = this.#clock.monotonic()
    for (const [other, { until }] of this.#files) {
      if (until <= now) {
        this.#files.delete(other)
      }
    }
    if (this.#files.size >= maxVisits) {
      this.#endOldestOfLargestTenant()
    }
    this.#files.set(key, { deviceId, tenantId, until: now + filesVisitMs, endsAt: now + longestFilesVisitMs })
  }

  /** A tenant with many devices of its own does not end the visits of others (T44). */
  #endOldestOfLargestTenant(): void {
    const byTenant = Map.groupBy(this.#files, ([, { tenantId }]) => tenantId).values()
    const [largest] = [...byTenant].toSorted((a, b) => b.length - a.length)
    this.#files.delete(largest![0]![0])
  }

  #endFiles(deviceId: string): void {
    for (const [key, visit] of this.#files) {
      if (visit.deviceId === deviceId) {
        this.#files.delete(key)
      }
    }
  }
}
