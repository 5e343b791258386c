/**
 * History of a device: one byte per sample, 528 samples per row. A row holds the last week by hour, then the last 90 days
 * by six hours, each as a ring whose positions follow from the hour alone, so that the rings of all devices are aligned.
 */
export const hoursKept = 7 * 24
export const hoursPerStep = 6
export const stepsKept = 90 * (24 / hoursPerStep)
const rowLength = hoursKept + stepsKept
/** A share of 0.4 % is told apart. */
export const levels = 250
export const unknown = 255
/** Disks of a device that have a history; each takes 528 bytes in memory and 704 in the database. */
const maxDisks = 8

/** Rows before those of the disks. */
const rows = { online: 0, cpu: 1, memory: 2 } as const
const firstDisk = 3
export type HistoryRow = keyof typeof rows

/** Shares of an hour, 0 to 1; undefined: unknown. */
export interface HourShares {
  online: number | undefined
  cpu: number | undefined
  memory: number | undefined
  /** Used share by path of the disk. */
  disks: ReadonlyMap<string, number>
}

/** Resolution of a curve: its length in samples and the hours of each. */
export interface Resolution {
  samples: number
  hours: number
}
export const byHour: Resolution = { samples: hoursKept, hours: 1 }
export const byStep: Resolution = { samples: stepsKept, hours: hoursPerStep }

const encode = (share: number | undefined) =>
  share === undefined ? unknown : Math.round(Math.min(1, Math.max(0, share)) * levels)

const emptyRows = (count: number) => new Uint8Array(count * rowLength).fill(unknown)

export class DeviceHistory {
  #disks: string[]
  #samples: Uint8Array

  /** Opens a stored history; without arguments an empty one. */
  constructor(disks: readonly string[] = [], samples = emptyRows(firstDisk + disks.length)) {
    this.#disks = [...disks]
    this.#samples = samples
  }

  /** Paths of the disks, in the order of their rows. */
  get disks(): readonly string[] {
    return this.#disks
  }

  get samples(): Uint8Array {
    return this.#samples
  }

  /** Whether the samples belong to that many disks. */
  get isWhole(): boolean {
    return this.#samples.length === (firstDisk + this.#disks.length) * rowLength
  }

  /** Stores an hour. Hours are stored in order, without leaving one out: a ring would show values of its last turn. */
  setHour(hour: number, { online, cpu, memory, disks }: HourShares): void {
    this.#set(rows.online, hour, online)
    this.#set(rows.cpu, hour, cpu)
    this.#set(rows.memory, hour, memory)
    for (const path of disks.keys()) {
      this.#addDisk(path, disks)
    }
    this.#disks.forEach((path, index) => this.#set(firstDisk + index, hour, disks.get(path)))
  }

  /** Copies the samples of a row that end with the sample of `hour`. */
  copy(row: HistoryRow | { disk: number }, { samples, hours }: Resolution, hour: number, into: Uint8Array): void {
    const start =
      (typeof row === 'string' ? rows[row] : firstDisk + row.disk) * rowLength + (hours === 1 ? 0 : hoursKept)
    const end = (Math.floor(hour / hours) % samples) + 1
    const older = into.length - end
    if (older > 0) {
      into.set(this.#samples.subarray(start + samples - older, start + samples))
    }
    into.set(this.#samples.subarray(start + Math.max(0, -older), start + end), Math.max(0, older))
  }

  #set(row: number, hour: number, share: number | undefined): void {
    const start = row * rowLength
    this.#samples[start + positionOf(byHour, hour)] = encode(share)
    let sum = 0
    let known = 0
    for (let each = hour - (hour % hoursPerStep); each <= hour; each++) {
      const sample = this.#samples[start + positionOf(byHour, each)]!
      sum += sample === unknown ? 0 : sample
      known += sample === unknown ? 0 : 1
    }
    this.#samples[start + positionOf(byStep, hour)] = known === 0 ? unknown : Math.round(sum / known)
  }

  /** Makes a row for a disk, or gives it the row of a disk that the device no longer has. */
  #addDisk(path: string, present: ReadonlyMap<string, number>): void {
    if (this.#disks.includes(path)) {
      return
    }
    if (this.#disks.length < maxDisks) {
      this.#disks.push(path)
      const samples = emptyRows(firstDisk + this.#disks.length)
      samples.set(this.#samples)
      this.#samples = samples
      return
    }
    const gone = this.#disks.findIndex((known) => !present.has(known))
    if (gone >= 0) {
      this.#disks[gone] = path
      this.#samples.fill(unknown, (firstDisk + gone) * rowLength, (firstDisk + gone + 1) * rowLength)
    }
  }
}

const positionOf = ({ samples, hours }: Resolution, hour: number) =>
  (hours === 1 ? 0 : hoursKept) + (Math.floor(hour / hours) % samples)
