import { deviceTags } from '../../shared/api/device-tags.ts'
import { addDeviceTag, removeDeviceTag } from '../services/tags.ts'
import { implement } from './implement.ts'

export const deviceTagRoutes = implement(deviceTags, {
  add: ({ app }, { tenantId, body }) => addDeviceTag(app, tenantId, body),
  remove: ({ app }, { params }) => removeDeviceTag(app, params),
})
