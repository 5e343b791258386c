import { hourMs } from '../../shared/durations.ts'
import type { StopReason } from '../../shared/dtos/device-commands.ts'

/** Encoding of a device's load for one hour: one byte per slot and row. */
export const slotMs = 5 * 60_000
export const slotsPerHour = hourMs / slotMs
const rows = { cpu: 0, memory: 1, onlineMinutes: 2 } as const
/** No report in the slot. */
const unknown = 255

export type LoadRow = keyof typeof rows

export interface LoadBlock {
  readonly deviceId: string
  /** Hours since 1970. */
  readonly hour: number
  readonly samples: Uint8Array
}

/** A value of a block: percent, or minutes; undefined without data. */
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

/** Time and cause of the end of a connection that this server did not end. */
export interface Ending {
  at: number
  by: 'client' | 'break' | 'silence'
}

/** Evidence about the end of a connection that comes before this end; times in ms since 1970. */
export interface EarlyEvidence {
  /** Announcement of the agent before it stopped; optional for agents. */
  announced?: { at: number; reason: StopReason }
  /** Restart or shutdown requested by a user. */
  power?: { at: number; change: 'restart' | 'shutdown' }
  update?: { at: number; fromVersion: string }
  uninstall?: { at: number }
}

/**
 * Connection times of devices, and their load in the current hour: 36 bytes per device online in that hour. Earlier
 * hours are only in the database.
 */
export class Presence {
  readonly #connectedAt = new Map<string, number>()
  readonly #endings = new Map<string, Ending>()
  readonly #early = new Map<string, EarlyEvidence>()
  readonly #blocks = new Map<string, LoadBlock>()
  /** Blocks not stored yet. */
  readonly #changed = new Set<LoadBlock>()
  /** Blocks of earlier hours that nobody has taken yet. */
  #finished: LoadBlock[] = []
  /** Last rejected update of each disconnected device. */
  readonly #refusedAt = new Map<string, number>()

  /** Loads the current hour from the database, before any report. */
  restore(blocks: Iterable<LoadBlock>): void {
    for (const block of blocks) {
      this.#blocks.set(block.deviceId, block)
    }
  }

  connected(deviceId: string, at: number): void {
    this.#connectedAt.set(deviceId, at)
    this.#endings.delete(deviceId)
    this.#early.delete(deviceId)
    this.#refusedAt.delete(deviceId)
  }

  disconnected(deviceId: string, ending?: Ending): void {
    this.#connectedAt.delete(deviceId)
    if (ending) {
      this.#endings.set(deviceId, ending)
    }
  }

  /** The end of the last connection, possibly not stored yet. */
  endingOf(deviceId: string): Ending | undefined {
    return this.#endings.get(deviceId)
  }

  /** Records evidence about the end of the connection, in case it ends. */
  noteEarly(deviceId: string, { announced, power, update, uninstall }: EarlyEvidence): void {
    const evidence = {
      ...(announced && { announced }),
      ...(power && { power }),
      ...(update && { update }),
      ...(uninstall && { uninstall }),
    }
    if (Object.keys(evidence).length > 0) {
      this.#early.set(deviceId, { ...this.#early.get(deviceId), ...evidence })
    }
  }

  earlyEvidenceOf(deviceId: string): EarlyEvidence {
    return this.#early.get(deviceId) ?? {}
  }

  connectedAt(deviceId: string): number | undefined {
    return this.#connectedAt.get(deviceId)
  }

  /** Records the load of a report; the last report of a slot counts. */
  report({ id, cpuUtilization, usedMemory, totalMemory }: ReportedLoad, at: number): void {
    const block = this.#block(id, at)
    block.samples[rows.cpu * slotsPerHour + slotOf(at)] = percentOf(cpuUtilization, 1)
    block.samples[rows.memory * slotsPerHour + slotOf(at)] = percentOf(usedMemory, totalMemory)
  }

  /** Counts a minute for a connected device. */
  countMinute(deviceId: string, at: number): void {
    const { samples } = this.#block(deviceId, at)
    const index = rows.onlineMinutes * slotsPerHour + slotOf(at)
    samples[index] = Math.min(slotMs / 60_000, (samples[index] ?? 0) + 1)
  }

  blockOf(deviceId: string): LoadBlock | undefined {
    return this.#blocks.get(deviceId)
  }

  /** Returns the blocks not stored yet, and marks them as stored. */
  takeChanged(): LoadBlock[] {
    const changed = [...this.#changed]
    this.#changed.clear()
    return changed
  }

  /** Ends the blocks of earlier hours; unstored blocks remain in `takeChanged`. */
  finishBefore(hour: number): void {
    for (const [id, block] of this.#blocks) {
      if (block.hour < hour) {
        this.#blocks.delete(id)
        this.#finished.push(block)
      }
    }
  }

  /** Returns the blocks before an hour that were not returned yet, for the history of the devices. */
  takeFinished(hour: number): LoadBlock[] {
    this.finishBefore(hour)
    const finished = this.#finished
    this.#finished = []
    return finished
  }

  /** Throttles the record of rejections of a device that retries every few seconds. */
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
      if (block && block.hour < hour) {
        this.#finished.push(block)
      }
      block = { deviceId, hour, samples: emptySamples() }
      this.#blocks.set(deviceId, block)
    }
    this.#changed.add(block)
    return block
  }
}
