import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'

export const deviceTags = defineRoutes('DeviceTags', {
  add: {
    method: 'POST',
    path: '/api/v1/device-tags',
    summary: 'Put a tag on a device; one that is on it already does no harm',
    access: { permission: 'device.tags.write', on: 'device', at: 'deviceId' },
    tenant: 'query',
    body: z.object({ deviceId: id, tagId: id }).meta({ id: 'DeviceTagAddRequestDto' }),
    response: z.void(),
    status: 204,
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/device-tags/:deviceId/:tagId',
    summary: 'Take a tag off a device',
    access: { permission: 'device.tags.write', on: 'device', at: 'deviceId' },
    tenant: 'query',
    params: z.object({ deviceId: id, tagId: id }),
    response: z.void(),
    status: 204,
  },
})
