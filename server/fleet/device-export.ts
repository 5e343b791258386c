import type { ExportedDevices } from '../../shared/api/appliance-device-search.ts'
import type { RouteCall } from '../call/call.ts'
import type { DeviceList } from './device-list.ts'
import { deviceRight } from './rights.ts'
import type { DeviceState } from './device-state.ts'
import { compileQuery, requestOf } from './device-query.ts'

/** Devices presented at once: bounds how long other requests wait. */
const pageSize = 200

/** Records the export, then yields the devices of a search in the order of the list at this moment. */
export async function exportDevices(
  call: RouteCall,
  devices: DeviceList,
  { query, columns, sort, descending }: ExportedDevices,
): Promise<AsyncIterable<readonly DeviceState[]>> {
  const { text, tests } = await compileQuery(call, query)
  const sortDefinitions = [
    { propertyName: sort, descending, sortOrder: 0 },
    { propertyName: 'Name', descending: false, sortOrder: 1 },
  ]
  const { items } = await devices.search(
    requestOf(text, { sortDefinitions, page: 0, pageSize: Number.MAX_SAFE_INTEGER }),
    tests.map(({ test }) => test),
  )
  await call.app.audit.record(call.actor, {
    kind: 'export.devices',
    details: { filters: query, columns, devices: items.length },
  })
  return pagesOf(call, items)
}

async function* pagesOf(call: RouteCall, items: readonly DeviceState[]) {
  for (let from = 0; from < items.length; from += pageSize) {
    if (from > 0) {
      await call.recheck()
    }
    // Rights may have ended, and devices moved, since the export began.
    const present = items.slice(from, from + pageSize).flatMap(({ id }) => call.app.fleet.get(id) ?? [])
    yield present.filter(deviceRight(call.app, call.principal, 'device.read'))
  }
}
