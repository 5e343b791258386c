import type { Principal } from '../principal.ts'
import type { Viewer } from './heartbeats.ts'

/**
 * Which viewer has opened a terminal on which device. The viewer that an agent names for its output is only a claim.
 */
export class Terminals {
  readonly #viewers = new Map<string, { principal: Principal; deviceIds: Set<string> }>()

  open({ connectionId, principal }: Viewer, deviceId: string): void {
    const viewer = this.#viewers.get(connectionId)
    if (viewer) {
      viewer.deviceIds.add(deviceId)
    } else {
      this.#viewers.set(connectionId, { principal, deviceIds: new Set([deviceId]) })
    }
  }

  /** Who is behind a viewer connection, if a terminal on the device was opened there. */
  openedBy(connectionId: string, deviceId: string): Principal | undefined {
    const viewer = this.#viewers.get(connectionId)
    return viewer?.deviceIds.has(deviceId) ? viewer.principal : undefined
  }

  /** Forgets a viewer that has left. */
  drop(connectionId: string): void {
    this.#viewers.delete(connectionId)
  }
}
