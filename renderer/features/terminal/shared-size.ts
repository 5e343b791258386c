import type { Screen, TerminalSize } from './session-types.ts'

interface SharedSizeOptions {
  screen: Pick<Screen, 'size' | 'follow'>
  /** Sets the size of the terminal at the device. */
  send: (size: TerminalSize) => void
  /** Called when following another viewer's size starts or ends. */
  onFollow: (isFollowing: boolean) => void
}

/** Size of a terminal shared by several viewers: the last one who typed sets it. */
export class SharedSize {
  readonly #options: SharedSizeOptions
  #isFollowing = false

  constructor(options: SharedSizeOptions) {
    this.#options = options
  }

  get isFollowing(): boolean {
    return this.#isFollowing
  }

  /** Current size of this screen. */
  get current(): TerminalSize {
    return this.#options.screen.size()
  }

  /** Follows the size that another viewer set; undefined restores this page's own size. */
  follow(size: TerminalSize | undefined): void {
    const wasFollowing = this.#isFollowing
    this.#isFollowing = size !== undefined
    if (this.#isFollowing || wasFollowing) {
      this.#options.screen.follow(size)
      this.#options.onFollow(this.#isFollowing)
    }
  }

  /** Restores this page's own size if the terminal has another viewer's. */
  fit(): void {
    if (this.#isFollowing) {
      this.follow(undefined)
      this.send()
    }
  }

  /** Sends this screen's size to the device. */
  send(): void {
    this.#options.send(this.current)
  }
}
