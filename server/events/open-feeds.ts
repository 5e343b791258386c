const maxFeeds = { ofPrincipal: 20, inAll: 1_000 }

/** Number of open feeds, in all and by principal. */
export class OpenFeeds {
  #inAll = 0
  readonly #ofPrincipal = new Map<string, number>()

  isFull(principalId: string): boolean {
    return (this.#ofPrincipal.get(principalId) ?? 0) >= maxFeeds.ofPrincipal || this.#inAll >= maxFeeds.inAll
  }

  add(principalId: string): void {
    this.#inAll++
    this.#ofPrincipal.set(principalId, (this.#ofPrincipal.get(principalId) ?? 0) + 1)
  }

  remove(principalId: string): void {
    this.#inAll--
    const left = (this.#ofPrincipal.get(principalId) ?? 0) - 1
    if (left > 0) {
      this.#ofPrincipal.set(principalId, left)
    } else {
      this.#ofPrincipal.delete(principalId)
    }
  }
}
