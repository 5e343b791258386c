import { deviceTags } from '../../shared/api/device-tags.ts'
import { addDeviceTag, removeDeviceTag } from '../services/devices/device-tags.ts'
import { implement } from './implement.ts'

export const deviceTagRoutes = implement(deviceTags, {
  add: (call, { device, body }) => addDeviceTag(call, device, body.tagId),
  remove: (call, { device, params }) => removeDeviceTag(call, device, params.tagId),
})
