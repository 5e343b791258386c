import { deviceTags } from '../../shared/api/device-tags.ts'
import { implement } from './implement.ts'

export const deviceTagRoutes = implement(deviceTags, {
  add: ({ app }, { tenantId, body }) => app.deviceTags.add(tenantId, body),
  remove: ({ app }, { params }) => app.deviceTags.remove(params),
})
