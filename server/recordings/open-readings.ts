import { KeyedMutex } from '../../shared/mutex.ts'
import type { Block } from './block-file.ts'

/** Readings without a request are forgotten then. */
const unusedMs = 60 * 60_000
const maxReadings = 200
/** Readings of one account, whatever credentials it reads with. */
const maxOfAccount = 20

/** A visit to a recording by its reader. */
export interface Reading {
  id: string
  recordingId: string
  owner: string
  /** Account of the owner, which may have many tokens. */
  account: string
  /** Tenant of the recording. */
  tenantId: string
  blocks: readonly Block[]
  /** Monotonic milliseconds. */
  usedAt: number
}

/** Readings of the tenant that has most. */
function ofLargestTenant(readings: readonly Reading[]): readonly Reading[] {
  const byTenant = [...Map.groupBy(readings, ({ tenantId }) => tenantId).values()]
  return byTenant.toSorted((one, other) => other.length - one.length)[0] ?? []
}

/**
 * Recordings that are being read, each announced in the audit log. Where places are missing, the tenant that has most
 * loses one, so that no tenant ends the readings of others (T44).
 */
export class Readings {
  /** Checks the blocks of a reading singly: each may have 80 MiB. */
  readonly opening = new KeyedMutex()
  readonly #readings = new Map<string, Reading>()

  add(reading: Reading): void {
    const unused = this.#oldestFirst().filter(({ usedAt }) => usedAt < reading.usedAt - unusedMs)
    unused.forEach(({ id }) => this.#readings.delete(id))
    const ofAccount = this.#oldestFirst().filter(({ account }) => account === reading.account)
    if (ofAccount.length >= maxOfAccount) {
      this.#readings.delete(ofAccount[0]!.id)
    } else if (this.#readings.size >= maxReadings) {
      this.#readings.delete(ofLargestTenant(this.#oldestFirst())[0]!.id)
    }
    this.#readings.set(reading.id, reading)
  }

  #oldestFirst(): readonly Reading[] {
    return [...this.#readings.values()].toSorted((one, other) => one.usedAt - other.usedAt)
  }

  get(id: string, now: number): Reading | undefined {
    const reading = this.#readings.get(id)
    return reading && reading.usedAt >= now - unusedMs ? reading : undefined
  }
}
