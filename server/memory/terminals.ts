import type { App, Principal } from '../context.ts'
import { deviceScope } from '../policies/device.ts'

interface Viewer {
  connectionId: string
  principal: Principal
}

/**
 * Which viewer has a terminal open on which device. An agent names the viewer that its output is for; that is a claim,
 * and output goes only where such a terminal was opened (T15), as long as the viewer may use one (T10).
 */
export class OpenTerminals {
  readonly #app: App
  readonly #viewers = new Map<string, { principal: Principal; deviceIds: Set<string> }>()

  constructor(app: App) {
    this.#app = app
  }

  open({ connectionId, principal }: Viewer, deviceId: string): void {
    const viewer = this.#viewers.get(connectionId)
    if (viewer) {
      viewer.deviceIds.add(deviceId)
    } else {
      this.#viewers.set(connectionId, { principal, deviceIds: new Set([deviceId]) })
    }
  }

  isOpen(viewerConnectionId: string, deviceId: string): boolean {
    const viewer = this.#viewers.get(viewerConnectionId)
    const device = this.#app.fleet.get(deviceId)
    return (
      viewer !== undefined &&
      device !== undefined &&
      viewer.deviceIds.has(deviceId) &&
      deviceScope(this.#app, viewer.principal, 'device.terminal.use')(device)
    )
  }

  /** Forgets a viewer that has left. */
  drop(viewerConnectionId: string): void {
    this.#viewers.delete(viewerConnectionId)
  }
}
