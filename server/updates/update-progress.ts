import { Mutex } from '../../shared/mutex.ts'

/** Steps of an update before the server hands over to its keeper. */
export type UpdateStep = 'backup' | 'download' | 'unpack' | 'hand-over'

interface Progress {
  version: string
  step: UpdateStep
  doneBytes: number
  totalBytes: number
}

/** The update that this process prepares; one at a time. */
export class UpdateProgress {
  /** Looks at the feed are made one at a time. */
  readonly checks = new Mutex()
  #current: Progress | undefined
  readonly #stopping = new AbortController()

  get current(): Readonly<Progress> | undefined {
    return this.#current
  }

  /** Aborts when the server stops. */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  /** Returns false if an update is being prepared. */
  begin(version: string, totalBytes: number): boolean {
    if (this.#current) {
      return false
    }
    this.#current = { version, step: 'backup', doneBytes: 0, totalBytes }
    return true
  }

  reach(step: UpdateStep, doneBytes = this.#current?.doneBytes ?? 0): void {
    if (this.#current) {
      this.#current = { ...this.#current, step, doneBytes }
    }
  }

  end(): void {
    this.#current = undefined
  }

  stop(): void {
    this.#stopping.abort(new Error('The server was stopped.'))
  }
}
