import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { deviceId, tagId } from '../dtos/references.ts'
import { mostOf } from '../row-limits.ts'

export const deviceTags = defineRoutes('DeviceTags', {
  add: {
    method: 'POST',
    path: '/api/v1/device-tags',
    summary: 'Add a tag to a device; a tag that the device has already is ignored',
    problems: { 409: `The limit is reached: ${mostOf('tags of a device')}.` },
    access: { permission: 'device.tags.write', on: 'device', at: 'deviceId' },
    tenant: 'query',
    body: dto('DeviceTagAddRequestDto', { deviceId, tagId }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/device-tags/:deviceId/:tagId',
    summary: 'Remove a tag from a device',
    access: { permission: 'device.tags.write', on: 'device', at: 'deviceId' },
    tenant: 'query',
    params: z.object({ deviceId, tagId }),
  },
})
