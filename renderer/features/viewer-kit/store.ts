/** State with subscribers, for `useSyncExternalStore`. */
export class Store<State extends object> {
  readonly #listeners = new Set<() => void>()
  #state: State

  constructor(initial: State) {
    this.#state = initial
  }

  get state(): State {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  update(changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes }
    this.#listeners.forEach((listener) => listener())
  }
}
