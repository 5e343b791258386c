/**
 * Which viewer has a terminal open on which device. An agent names the viewer that its output is for; that is a claim,
 * and output goes only where such a terminal was opened (T15).
 */
export class OpenTerminals {
  readonly #devicesOf = new Map<string, Set<string>>()

  open(viewerConnectionId: string, deviceId: string): void {
    const devices = this.#devicesOf.get(viewerConnectionId)
    if (devices) {
      devices.add(deviceId)
    } else {
      this.#devicesOf.set(viewerConnectionId, new Set([deviceId]))
    }
  }

  isOpen(viewerConnectionId: string, deviceId: string): boolean {
    return this.#devicesOf.get(viewerConnectionId)?.has(deviceId) ?? false
  }

  /** Forgets a viewer that has left. */
  drop(viewerConnectionId: string): void {
    this.#devicesOf.delete(viewerConnectionId)
  }
}
