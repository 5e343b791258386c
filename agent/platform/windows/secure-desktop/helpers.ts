import { UserError } from '../../../base/errors.ts'
import { newPipeName } from '../pipe.ts'

/** Limit for the helpers of one process: each of its sessions uses one. */
const maxHelpers = 8

interface Helper {
  ended: Promise<unknown>
  kill(): void
}

/** Helpers of one desktop's process. That process runs as the person, so it decides how many it asks for, and when. */
export class SecureDesktopHelpers {
  readonly #start: (pipeName: string) => Promise<Helper>
  readonly #running = new Set<Helper>()
  #starting = 0
  #closings = 0

  constructor(start: (pipeName: string) => Promise<Helper>) {
    this.#start = start
  }

  /** Resolves with the name of the helper's pipe. Rejects with a UserError. */
  async open(): Promise<string> {
    if (this.#running.size + this.#starting >= maxHelpers) {
      throw new UserError(`At most ${maxHelpers} sessions of a desktop reach the secure desktop at once.`)
    }
    const closings = this.#closings
    const name = newPipeName()
    this.#starting++
    try {
      const helper = await this.#start(name)
      this.#running.add(helper)
      void helper.ended.then(() => this.#running.delete(helper))
      if (closings !== this.#closings) {
        helper.kill()
        throw new UserError('The session has ended.')
      }
      return name
    } finally {
      this.#starting--
    }
  }

  /** Ends all helpers, including those that are starting. */
  close(): void {
    this.#closings++
    this.#running.forEach((helper) => helper.kill())
  }
}
