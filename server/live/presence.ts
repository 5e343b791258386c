/** What each device's load of an hour is kept as: so many slots, and for each of them one byte of each row. */
export const slotMs = 5 * 60_000
export const hourMs = 60 * 60_000
export const slotsPerHour = hourMs / slotMs
const rows = { cpu: 0, memory: 1, onlineMinutes: 2 } as const
/** Nothing was reported in the slot. */
const unknown = 255

export type LoadRow = keyof typeof rows

export interface LoadBlock {
  readonly deviceId: string
  /** Hours since 1970. */
  readonly hour: number
  readonly samples: Uint8Array
}

/** A value of a block: percent, or minutes; undefined where nothing is known. */
export function sampleOf({ samples }: Pick<LoadBlock, 'samples'>, row: LoadRow, slot: number): number | undefined {
  const value = samples[rows[row] * slotsPerHour + slot]
  return value === unknown ? undefined : value
}

const emptySamples = () => {
  const samples = new Uint8Array(3 * slotsPerHour).fill(unknown)
  return samples.fill(0, rows.onlineMinutes * slotsPerHour)
}

export const hourOf = (at: number) => Math.floor(at / hourMs)
export const slotOf = (at: number) => Math.floor((at % hourMs) / slotMs)
const percentOf = (used: number, total: number) =>
  total > 0 ? Math.round(Math.min(1, Math.max(0, used / total)) * 100) : unknown

interface ReportedLoad {
  id: string
  cpuUtilization: number
  usedMemory: number
  totalMemory: number
}

/** When and how a connection ended that this server did not end. */
export interface Ending {
  at: number
  by: 'client' | 'break' | 'silence'
}

/**
 * Since when devices are connected, and their load of the hour that runs: 36 bytes for a device that was online in it.
 * Earlier hours are in the database alone.
 */
export class Presence {
  readonly #connectedAt = new Map<string, number>()
  readonly #endings = new Map<string, Ending>()
  readonly #blocks = new Map<string, LoadBlock>()
  /** Not in the database yet. */
  readonly #changed = new Set<LoadBlock>()
  /** When an update of a device that is not connected was last refused. */
  readonly #refusedAt = new Map<string, number>()

  /** What the database has of the hour that runs, before anybody reports. */
  restore(blocks: Iterable<LoadBlock>): void {
    for (const block of blocks) {
      this.#blocks.set(block.deviceId, block)
    }
  }

  connected(deviceId: string, at: number): void {
    this.#connectedAt.set(deviceId, at)
    this.#endings.delete(deviceId)
    this.#refusedAt.delete(deviceId)
  }

  disconnected(deviceId: string, ending?: Ending): void {
    this.#connectedAt.delete(deviceId)
    if (ending) {
      this.#endings.set(deviceId, ending)
    }
  }

  /** How the last connection ended, also while the database does not know it yet. */
  endingOf(deviceId: string): Ending | undefined {
    return this.#endings.get(deviceId)
  }

  connectedAt(deviceId: string): number | undefined {
    return this.#connectedAt.get(deviceId)
  }

  /** Takes the load of a report; the last one of a slot counts. */
  report({ id, cpuUtilization, usedMemory, totalMemory }: ReportedLoad, at: number): void {
    const block = this.#block(id, at)
    block.samples[rows.cpu * slotsPerHour + slotOf(at)] = percentOf(cpuUtilization, 1)
    block.samples[rows.memory * slotsPerHour + slotOf(at)] = percentOf(usedMemory, totalMemory)
  }

  /** Counts a minute for a device that is connected. */
  countMinute(deviceId: string, at: number): void {
    const { samples } = this.#block(deviceId, at)
    const index = rows.onlineMinutes * slotsPerHour + slotOf(at)
    samples[index] = Math.min(slotMs / 60_000, (samples[index] ?? 0) + 1)
  }

  blockOf(deviceId: string): LoadBlock | undefined {
    return this.#blocks.get(deviceId)
  }

  /** What is not in the database yet; from now on it counts as stored. */
  takeChanged(): LoadBlock[] {
    const changed = [...this.#changed]
    this.#changed.clear()
    return changed
  }

  /** Forgets the blocks of earlier hours; those that are not stored yet still come out of `takeChanged`. */
  forgetBefore(hour: number): void {
    for (const [id, block] of this.#blocks) {
      if (block.hour < hour) {
        this.#blocks.delete(id)
      }
    }
  }

  /** Whether a refusal is worth writing down: not each of a device that tries every few seconds. */
  isNewRefusal(deviceId: string, at: number): boolean {
    if (at - (this.#refusedAt.get(deviceId) ?? -Infinity) < 60_000) {
      return false
    }
    this.#refusedAt.set(deviceId, at)
    return true
  }

  #block(deviceId: string, at: number): LoadBlock {
    const hour = hourOf(at)
    let block = this.#blocks.get(deviceId)
    if (block?.hour !== hour) {
      block = { deviceId, hour, samples: emptySamples() }
      this.#blocks.set(deviceId, block)
    }
    this.#changed.add(block)
    return block
  }
}
