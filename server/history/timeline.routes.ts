import { applianceTimeline } from '../../shared/api/appliance-timeline.ts'
import { implement } from '../surface/implement.ts'
import { deviceTimeline, personTimeline } from './timeline.ts'

export const applianceTimelineRoutes = implement(applianceTimeline, {
  ofDevice: (call, { device, query }) => deviceTimeline(call, device, query),
  ofPerson: (call, { tenantId, params, query }) => personTimeline(call, tenantId, params.userId, query),
})
