import type { App } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'

/** Fewer devices that are down say nothing about their network. */
const least = 3

const subnetOf = ({ publicIpV4, localIpV4 }: DeviceState) =>
  publicIpV4 === '' || localIpV4 === '' ? undefined : `${publicIpV4} ${localIpV4.split('.').slice(0, 3).join('.')}`

/**
 * Network that devices have in common, if none of its devices is online: they lie behind the same public address, and the
 * first 24 bits of their local addresses are the same. Null for fewer than three devices.
 */
export function deadNetwork(app: App, devices: readonly DeviceState[]): string | null {
  const [first] = devices
  const subnet = first && subnetOf(first)
  if (devices.length < least || subnet === undefined || devices.some((device) => subnetOf(device) !== subnet)) {
    return null
  }
  for (const id of app.fleet.onlineIds()) {
    const device = app.fleet.get(id)
    if (device?.tenantId === first!.tenantId && subnetOf(device) === subnet) {
      return null
    }
  }
  return `${first!.localIpV4.split('.').slice(0, 3).join('.')}.0/24`
}
