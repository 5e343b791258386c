import { KeyedMutex } from '../../shared/mutex.ts'

export class SignInAttempts {
  readonly #attempts = new KeyedMutex()

  /** Serializes attempts per address, so that simultaneous guesses count like consecutive guesses. */
  serialize<T>(address: string, work: () => Promise<T>): Promise<T> {
    return this.#attempts.run(address.toLowerCase(), work)
  }
}
