import { deferred } from '../../shared/deferred.ts'
import type { Clock } from '../base/clock.ts'
import { noBrowser, noWindow, startBrowser, type StartedBrowser, type WindowSize } from './browser.ts'
import type { OpenWindow, WindowAnswer, WindowServer, WindowState } from './window-server.ts'

/** Grace period for a page that is reloading. */
const absenceMs = 2000

interface PersonWindowDependencies {
  clock: Clock
  server: WindowServer
  size: WindowSize
  onAnswer: (answer: WindowAnswer) => void
  /** Called once when the person has closed the window. */
  onClosed: () => void
  /** Timeout for the browser: a newly installed one starts slowly. 20 s by default, because a visitor waits. */
  showingMs?: number
  start?: typeof startBrowser
}

export class PersonWindow {
  readonly #deps: PersonWindowDependencies
  readonly #shown = deferred<string | undefined>()
  #page: OpenWindow | undefined
  #browser: StartedBrowser | undefined
  #cancelAbsence: () => void = () => {}
  #isOver = false

  private constructor(deps: PersonWindowDependencies) {
    this.#deps = deps
  }

  /** Resolves when the window is visible to the person; rejects with the reason why no window appeared. */
  static async open(state: WindowState, deps: PersonWindowDependencies): Promise<PersonWindow> {
    const window = new PersonWindow(deps)
    await window.#open(state)
    return window
  }

  update(state: WindowState): void {
    this.#page?.update(state)
  }

  close(): void {
    this.#isOver = true
    this.#cancelAbsence()
    this.#page?.close()
    this.#browser?.close()
  }

  async #open(state: WindowState) {
    const { clock, server, size, onAnswer, showingMs = 20_000, start = startBrowser } = this.#deps
    this.#page = await server.open(state, { onAnswer, onPresence: (isPresent) => this.#setPresence(isPresent) })
    this.#browser = start(this.#page.address, size)
    if (this.#browser) {
      this.#browser.onEnd = (problem) => {
        if (problem) {
          this.#shown.resolve(problem)
          this.#end()
        }
      }
    } else {
      this.#shown.resolve(noBrowser)
    }
    const cancel = clock.after(showingMs, () => this.#shown.resolve(noWindow))
    const problem = await this.#shown.promise
    cancel()
    if (problem) {
      this.close()
      throw new Error(problem)
    }
  }

  #setPresence(isPresent: boolean) {
    this.#cancelAbsence()
    if (isPresent) {
      this.#shown.resolve(undefined)
    } else {
      this.#cancelAbsence = this.#deps.clock.after(absenceMs, () => this.#end())
    }
  }

  #end() {
    if (!this.#isOver) {
      this.close()
      this.#deps.onClosed()
    }
  }
}
