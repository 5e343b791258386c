import { KeyedMutex, Mutex } from '../../../shared/mutex.ts'

/** Runs work one at a time. Keys alternate, so that the work of one key delays that of another by one run at most. */
export class FairMutex {
  readonly #all = new Mutex()
  readonly #ofKeys = new KeyedMutex()

  /** Resolves with undefined, and never begins, where `signal` aborts while the work waits. */
  run<T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const unlessAborted = async (begin: () => Promise<T | undefined>) => (signal.aborted ? undefined : begin())
    return this.#ofKeys.run(key, () => unlessAborted(() => this.#all.run(() => unlessAborted(work))))
  }
}
