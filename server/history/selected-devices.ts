import type { App } from '../call/call.ts'
import type { DeviceList } from '../fleet/device-list.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { withSites } from '../organization/customer-sites.ts'

interface Selection {
  customerId?: string | undefined
  tagId?: string | undefined
}

/** Devices of a customer with its sites and with a tag, of those that the caller can read. */
export async function selectedDevices(
  app: App,
  devices: DeviceList,
  { customerId, tagId }: Selection,
): Promise<Iterable<DeviceState>> {
  if (customerId === undefined && tagId === undefined) {
    return devices
  }
  const customerIds = customerId === undefined ? undefined : await withSites(app, customerId)
  return [...devices].filter(
    (device) =>
      (!customerIds || (device.customerId !== null && customerIds.has(device.customerId))) &&
      (tagId === undefined || device.tagIds.includes(tagId)),
  )
}
