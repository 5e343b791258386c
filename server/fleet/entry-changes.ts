import type { FleetEntry } from './device-state.ts'

/** Number of changes kept. Reports of thousands of devices between two reads exceed it, and cost one full pass. */
const maxKept = 4096

/** Entries whose snapshot changed, in order, for what is cached by list. */
export class EntryChanges {
  #kept: FleetEntry[] = []
  /** Sequence number of the first kept change. */
  #first = 0
  #textVersion = 0

  /** Adds a change; `isRenamed` if a searched text changed. */
  note(entry: FleetEntry, isRenamed: boolean): void {
    if (this.#kept.length >= maxKept) {
      this.#first += this.#kept.length
      this.#kept = []
    }
    this.#kept.push(entry)
    this.#textVersion += isRenamed ? 1 : 0
  }

  /** Sequence number of the next change. */
  get next(): number {
    return this.#first + this.#kept.length
  }

  /** Number of changes of searched texts. */
  get textVersion(): number {
    return this.#textVersion
  }

  /** The changes from a sequence number on; undefined if some of them are no longer kept. */
  since(sequence: number): readonly FleetEntry[] | undefined {
    return sequence < this.#first ? undefined : this.#kept.slice(sequence - this.#first)
  }
}

/** The entries of a list of devices, which never moves them. */
export class ListedEntries {
  readonly all: readonly FleetEntry[]
  readonly changes: EntryChanges
  #positions: Map<FleetEntry, number> | undefined

  constructor(all: readonly FleetEntry[], changes: EntryChanges) {
    this.all = all
    this.changes = changes
  }

  /** Returns a function with the positions of the devices that have changed since it was last called. */
  follow(): () => readonly number[] {
    let { next } = this.changes
    return () => {
      if (next === this.changes.next) {
        return []
      }
      const changed = this.changes.since(next)
      next = this.changes.next
      return changed ? this.#positionsOf(changed) : [...this.all.keys()]
    }
  }

  #positionsOf(entries: readonly FleetEntry[]): number[] {
    const positions = (this.#positions ??= new Map(this.all.map((entry, position) => [entry, position])))
    return entries.flatMap((entry) => positions.get(entry) ?? [])
  }
}
