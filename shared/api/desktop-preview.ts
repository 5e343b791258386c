import { z } from 'zod'
import { fileBytes } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { deviceId } from '../dtos/references.ts'

export const desktopPreview = defineRoutes('DesktopPreview', {
  get: {
    method: 'GET',
    path: '/api/v1/desktop-preview/:deviceId/:targetProcessId',
    summary: 'A picture of what a desktop session shows now',
    description: '`targetProcessId` is the `processId` of a desktop session of the device.',
    problems: {
      400: 'The request is wrong, or the device is not online.',
      404: 'The device does not exist, or previews are turned off on this server.',
      408: 'The device did not answer in time.',
      429: 'You have too many transfers and previews running.',
      503: 'The device refused, or has too many previews running: the detail is the reason.',
    },
    access: { permission: 'device.desktop-preview.read', on: 'device', at: 'deviceId' },
    tenant: 'query',
    params: z.object({
      deviceId,
      targetProcessId: z.coerce
        .number()
        .int()
        .min(0)
        .max(2_147_483_647)
        .describe('`processId` of a desktop session of the device.'),
    }),
    response: fileBytes,
    content: 'stream',
    mediaType: 'image/jpeg',
  },
})
