import type { DeviceSearchResponseDto } from '../../shared/api/devices.ts'

/** A page with the moment that its order is of. */
export type DevicePage = DeviceSearchResponseDto & { orderedAt: number }

/** What a page holds now, in the order that it had before; devices that are new to it come last. */
export function holdOrder(before: DevicePage | undefined, now: DevicePage): DevicePage {
  if (!before) {
    return now
  }
  const fresh = new Map(now.items.map((device) => [device.id, device]))
  // With equal totals a device that left this page only moved to another one: its row stays, the live channel keeps it.
  const staying = before.items.filter(({ id }) => fresh.has(id) || before.totalItems === now.totalItems)
  const known = new Set(staying.map(({ id }) => id))
  const items = [
    ...staying.map((device) => fresh.get(device.id) ?? device),
    ...now.items.filter(({ id }) => !known.has(id)),
  ]
  return { ...now, items: items.slice(0, Math.max(before.items.length, now.items.length)), orderedAt: before.orderedAt }
}
