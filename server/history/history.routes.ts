import { applianceHistory } from '../../shared/api/appliance-history.ts'
import { implement } from '../surface/implement.ts'
import { deviceHistory, fleetHistory, selectedDevices } from './curves.ts'
import { applianceTimeline } from '../../shared/api/appliance-timeline.ts'
import { deviceTimeline, personTimeline } from './timeline.ts'

export const applianceHistoryRoutes = implement(applianceHistory, {
  device: ({ app }, { device, query }) => deviceHistory(app, device, query.range),
  fleet: async ({ app }, { devices, query }) =>
    fleetHistory(app, await selectedDevices(app, devices, query), query.range),
})

export const applianceTimelineRoutes = implement(applianceTimeline, {
  ofDevice: (call, { device, query }) => deviceTimeline(call, device, query),
  ofPerson: (call, { tenantId, params, query }) => personTimeline(call, tenantId, params.userId, query),
})
