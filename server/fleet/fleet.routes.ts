import { applianceDeviceSearch, columnsIn, type ExportedDevices } from '../../shared/api/appliance-device-search.ts'
import { applianceDeviceViews } from '../../shared/api/appliance-device-views.ts'
import type { Download } from '../../shared/contract/transfer.ts'
import type { RouteCall } from '../call/call.ts'
import { implement } from '../surface/implement.ts'
import { keepJson } from '../ground/json.ts'
import { exportDevices } from './device-export.ts'
import { facetsOf } from './device-facets.ts'
import type { DeviceList } from './device-list.ts'
import { compileQuery, requestOf } from './device-query.ts'
import { deviceFile, presentDeviceView, searchPresented } from './present.ts'
import { starDevice, starredIdsOf, unstarDevice } from './stars.ts'
import { createView, deleteView, listViews, updateView } from './views.ts'

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

export const applianceDeviceViewRoutes = implement(applianceDeviceViews, {
  list: async (call, { tenantId, query }) => {
    const { items, ...rest } = await listViews(call, tenantId, query)
    return { items: items.map(({ view, mayEdit }) => presentDeviceView(view, mayEdit)), ...rest }
  },
  create: async (call, { tenantId, body }) => presentDeviceView(await createView(call, tenantId, body), true),
  update: async (call, { tenantId, params, body }) =>
    presentDeviceView(await updateView(call, tenantId, params.viewId, body), true),
  delete: (call, { tenantId, params }) => deleteView(call, tenantId, params.viewId),
  stars: async (call, { devices }) => ({
    deviceIds: [...(await starredIdsOf(call))].filter((id) => devices.get(id) !== undefined),
  }),
  star: (call, { device }) => starDevice(call, device),
  unstar: (call, { device }) => unstarDevice(call, device),
})
