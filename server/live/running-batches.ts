/** A batch that goes on. */
export interface RunningBatch {
  readonly id: string
  /** As `ownerOf` names a principal. */
  readonly owner: string
  /** Begins nothing more, for this reason; ends what can be ended, too, when asked. */
  cancel(reason: string, options: { endRunning: boolean }): Promise<void>
}

/** The batches that go on now. */
export class RunningBatches {
  readonly #all = new Map<string, RunningBatch>()
  /** The server stops: nothing more is begun, and what goes on is told as interrupted by the next start. */
  isStopping = false

  add(batch: RunningBatch): void {
    this.#all.set(batch.id, batch)
  }

  remove({ id }: RunningBatch): void {
    this.#all.delete(id)
  }

  get(id: string): RunningBatch | undefined {
    return this.#all.get(id)
  }

  countOf(owner: string): number {
    return [...this.#all.values()].filter((batch) => batch.owner === owner).length
  }
}
