import type { App } from '../call/call.ts'
import type { DeviceList } from '../fleet/device-list.ts'
import type { DeviceState } from '../fleet/device-state.ts'

interface Selection {
  customerId?: string | undefined
  tagId?: string | undefined
}

/** Devices of a customer with its sites and with a tag, of those that the caller can read. */
export async function selectedDevices(
  { models }: App,
  devices: DeviceList,
  { customerId, tagId }: Selection,
): Promise<Iterable<DeviceState>> {
  if (customerId === undefined && tagId === undefined) {
    return devices
  }
  const sites =
    customerId === undefined ? [] : await models.CustomerParent.findAll({ where: { parentId: customerId }, raw: true })
  const customerIds = new Set([customerId, ...sites.map((site) => site.customerId)])
  return [...devices].filter(
    (device) =>
      (customerId === undefined || (device.customerId !== null && customerIds.has(device.customerId))) &&
      (tagId === undefined || device.tagIds.includes(tagId)),
  )
}
