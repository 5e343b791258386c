/** Pressed keys or buttons, each by a name. A repeated press is dropped: the desktop itself repeats held keys. */
export class HeldKeys<Name, Key> {
  readonly #keys = new Map<Name, Key>()
  readonly #send: (key: Key, isPressed: boolean) => void

  constructor(send: (key: Key, isPressed: boolean) => void) {
    this.#send = send
  }

  get keys(): Key[] {
    return [...this.#keys.values()]
  }

  /** Does nothing without a key. */
  press(name: Name, key: Key | undefined): void {
    if (key !== undefined && !this.#keys.has(name)) {
      this.#keys.set(name, key)
      this.#send(key, true)
    }
  }

  release(name: Name): void {
    const key = this.#keys.get(name)
    if (key !== undefined) {
      this.#keys.delete(name)
      this.#send(key, false)
    }
  }

  releaseAll(): void {
    for (const name of this.#keys.keys()) {
      this.release(name)
    }
  }
}
