import { KeyedMutex, Mutex } from '../../../shared/mutex.ts'

/** Runs work one at a time. Keys alternate, so that the work of one key delays that of another by one run at most. */
export class FairMutex {
  readonly #all = new Mutex()
  readonly #ofKeys = new KeyedMutex()

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#ofKeys.run(key, () => this.#all.run(work))
  }
}
