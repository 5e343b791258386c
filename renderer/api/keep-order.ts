import type { FoundDevicesDto } from '../../shared/api/appliance-device-search.ts'

/** Page of a search with the time of its sort order. */
export type DevicePage = FoundDevicesDto & { orderedAt: number }

/** Applies the previous order to the current results; devices new to the page come last. */
export function keepOrder(before: DevicePage | undefined, now: DevicePage): DevicePage {
  if (!before) {
    return now
  }
  const fresh = new Map(now.items.map((device) => [device.id, device]))
  // With equal totals a missing device only moved to another page: its row stays, and live updates keep it current.
  const staying = before.items.filter(({ id }) => fresh.has(id) || before.totalItems === now.totalItems)
  const known = new Set(staying.map(({ id }) => id))
  const items = [
    ...staying.map((device) => fresh.get(device.id) ?? device),
    ...now.items.filter(({ id }) => !known.has(id)),
  ]
  return { ...now, items: items.slice(0, Math.max(before.items.length, now.items.length)), orderedAt: before.orderedAt }
}
