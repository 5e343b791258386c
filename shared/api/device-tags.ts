import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { deviceId, tagId } from '../dtos/references.ts'

export const deviceTags = defineRoutes('DeviceTags', {
  add: {
    method: 'POST',
    path: '/api/v1/device-tags',
    summary: 'Put a tag on a device; one that is on it already does no harm',
    access: { permission: 'device.tags.write', on: 'device', at: 'deviceId' },
    tenant: 'query',
    body: z.object({ deviceId, tagId }).meta({ id: 'DeviceTagAddRequestDto' }),
    response: z.void(),
    status: 204,
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/device-tags/:deviceId/:tagId',
    summary: 'Take a tag off a device',
    access: { permission: 'device.tags.write', on: 'device', at: 'deviceId' },
    tenant: 'query',
    params: z.object({ deviceId, tagId }),
    response: z.void(),
    status: 204,
  },
})
