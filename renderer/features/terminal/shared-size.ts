import type { TerminalSize } from './input-queue.ts'
import type { Screen } from './session-types.ts'

interface SharedSizeOptions {
  screen: Pick<Screen, 'size' | 'follow'>
  /** Gives the terminal on the device a size. */
  send: (size: TerminalSize) => void
  /** Whether the size is that of another viewer. */
  onFollow: (isFollowing: boolean) => void
}

/** The size of a terminal that several may watch: it has that of whoever typed last. */
export class SharedSize {
  readonly #options: SharedSizeOptions
  #isFollowing = false

  constructor(options: SharedSizeOptions) {
    this.#options = options
  }

  get isFollowing(): boolean {
    return this.#isFollowing
  }

  /** What the screen has now. */
  get current(): TerminalSize {
    return this.#options.screen.size()
  }

  /** Takes the size that another viewer gave the terminal; undefined: that of its own place again. */
  follow(size: TerminalSize | undefined): void {
    const wasFollowing = this.#isFollowing
    this.#isFollowing = size !== undefined
    if (this.#isFollowing || wasFollowing) {
      this.#options.screen.follow(size)
      this.#options.onFollow(this.#isFollowing)
    }
  }

  /** Gives the terminal the size of this screen, if it has that of another viewer. */
  fit(): void {
    if (this.#isFollowing) {
      this.follow(undefined)
      this.send()
    }
  }

  /** Tells the device the size of the screen. */
  send(): void {
    this.#options.send(this.current)
  }
}
