export interface RunningBatch {
  readonly id: string
  /** Owner key, from `ownerOf`. */
  readonly owner: string
  /** Account of the owner, from `accountOf`. */
  readonly account: string
  /** Part of the step that is done on a running device, from 0 to 1; undefined where the step does not say. */
  progressOf(deviceId: string): number | undefined
  /** Starts no further devices, for this reason; with `endRunning`, also ends running devices where possible. */
  cancel(reason: string, options: { endRunning: boolean }): Promise<void>
}

export class RunningBatches {
  readonly #all = new Map<string, RunningBatch>()
  /** True while the server shuts down: no device is started, and the next start marks running ones as interrupted. */
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

  countOf(whose: 'owner' | 'account', key: string): number {
    return [...this.#all.values()].filter((batch) => batch[whose] === key).length
  }
}
