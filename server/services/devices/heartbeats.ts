import type { App, Call } from '../../call.ts'
import type { DeviceList } from '../../mirrors/fleet/device-list.ts'
import type { DeviceState } from '../../mirrors/fleet/device-state.ts'
import type { Viewer } from '../../live/heartbeats.ts'
import { deviceRight } from '../../policies/device.ts'
import { presentDevice } from '../../presenters/device.ts'

const maxIdsPerCall = 100
/** Subscriptions of a principal on all its connections: each takes 200 bytes. */
const maxSubscriptions = 200_000

/**
 * Subscribes a viewer connection to devices, skipping devices that the principal may not read. Returns an error text
 * for too many devices.
 */
export function followDevices(
  { app: { heartbeats }, principal }: Call,
  connectionId: string,
  readable: DeviceList,
  deviceIds: readonly string[],
): string | undefined {
  if (deviceIds.length > maxIdsPerCall) {
    return `Too many device IDs (${deviceIds.length}). Subscribe at most ${maxIdsPerCall} devices per call.`
  }
  if (heartbeats.countOf(principal) + deviceIds.length > maxSubscriptions) {
    return `Too many subscriptions. Your connections together may have ${maxSubscriptions}.`
  }
  for (const id of deviceIds) {
    if (readable.get(id)) {
      heartbeats.follow({ connectionId, principal }, id)
    }
  }
  return undefined
}

/** Sends a device to every subscriber who may still read the device. */
export function pushDevice(app: App, device: DeviceState): void {
  const followers = app.heartbeats.followersOf(device.id)
  if (!followers) {
    return
  }
  const mayRead = ({ principal }: Viewer) => principal.use() && deviceRight(app, principal, 'device.read')(device)
  const readers = [...followers].filter(mayRead).map(({ connectionId }) => connectionId)
  if (readers.length > 0) {
    void app.hubs.viewer.send(...readers).ReceiveDeviceUpdate(presentDevice(device, app.agentRelease.version))
  }
}
