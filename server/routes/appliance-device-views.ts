import { applianceDeviceViews } from '../../shared/api/appliance-device-views.ts'
import { presentDeviceView } from '../presenters/device-view.ts'
import { starDevice, starredIdsOf, unstarDevice } from '../services/devices/stars.ts'
import { createView, deleteView, listViews, updateView } from '../services/devices/views.ts'
import { implement } from './implement.ts'

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
