import { applianceDeviceSearch, columnsIn, type ExportedDevices } from '../../shared/api/appliance-device-search.ts'
import type { Download } from '../../shared/contract/transfer.ts'
import type { RouteCall } from '../call.ts'
import { keepJson } from '../json.ts'
import type { DeviceList } from '../mirrors/fleet/device-list.ts'
import { deviceFile } from '../presenters/device-export.ts'
import { exportDevices } from '../services/devices/device-export.ts'
import { facetsOf } from '../services/devices/device-facets.ts'
import { compileQuery, requestOf } from '../services/devices/device-query.ts'
import { searchPresented } from './devices.ts'
import { implement } from './implement.ts'

async function file(call: RouteCall, devices: DeviceList, query: ExportedDevices): Promise<Download> {
  const { clock, tags } = call.app
  const pages = await exportDevices(call, devices, query)
  return {
    body: deviceFile(pages, columnsIn(query.columns), (id) => tags.get(id)?.name),
    file: { name: `devices-${new Date(clock.now()).toISOString().slice(0, 10)}.csv`, disposition: 'attachment' },
  }
}

export const applianceDeviceSearchRoutes = implement(applianceDeviceSearch, {
  find: async (call, { devices, body: { query, ...page } }) => {
    const { text, tests, problems } = await compileQuery(call, query)
    const { hiddenUntaggedDevices: _, ...answer } = await searchPresented(
      call,
      devices,
      requestOf(text, page),
      tests.map(({ test }) => test),
    )
    return keepJson({ ...answer, problems })
  },
  export: (call, { devices, query }) => file(call, devices, query),
  facets: (call, { devices, body }) => facetsOf(call, devices, body.query),
})
