import { z } from 'zod'
import { createdAt, dto, id, ownId, resourceName } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { maxQueryLength } from '../device-query.ts'
import { deviceId } from '../dtos/references.ts'

const params = z.object({ viewId: id.describe('The view, by its `id`.') })

const shape = {
  name: resourceName.describe('1 to 100 characters without control characters.'),
  query: z.string().max(maxQueryLength).describe('Typed search of the view.'),
  sort: z
    .string()
    .max(50, { abort: true })
    .regex(/^-?[A-Za-z]+$/, 'must be the name of a column')
    .describe('Column of the page that sorts the view; `-` before the name: largest first.'),
  isShared: z.boolean().describe('Whether everybody of the tenant sees the view; needs `tenant.settings.write`.'),
}

export const DeviceViewRequestDto = z.object(shape).meta({ id: 'DeviceViewRequestDto' })
export type DeviceViewRequestDto = z.output<typeof DeviceViewRequestDto>

export const DeviceViewDto = dto('DeviceViewDto', {
  id: ownId,
  ...shape,
  authorName: z.string().describe('Name of the author.'),
  createdAt,
  mayEdit: z.boolean().describe('Whether the caller may change or delete the view.'),
})
export type DeviceViewDto = z.output<typeof DeviceViewDto>

/** Saved views of the device list, and stars. Both belong to a person. */
export const applianceDeviceViews = defineRoutes('DeviceViews', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/device-views',
    summary: 'Views of the caller and shared ones, the own first, by name',
    access: 'authenticated',
    tenant: 'claim',
    query: z.object({
      page: z.coerce.number().int().min(0).max(1000).default(0).describe('Counted from 0.'),
      pageSize: z.coerce.number().int().min(1).max(300).default(300).describe('Views per page, at most 300.'),
    }),
    response: dto('DeviceViewListDto', {
      items: z.array(DeviceViewDto).describe('One page of views.'),
      totalItems: z.number().int().describe('Views over all pages: at most 100 own and 200 shared ones.'),
      mayShare: z.boolean().describe('Whether the caller may share views.'),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/appliance/v1/device-views',
    summary: 'Save a view',
    access: 'authenticated',
    tenant: 'claim',
    body: DeviceViewRequestDto,
    response: DeviceViewDto,
    status: 201,
    problems: { 409: 'The caller has 100 views, or the tenant 200 shared ones.' },
  },
  update: {
    method: 'PUT',
    path: '/api/appliance/v1/device-views/:viewId',
    summary: 'Replace a view; a shared one belongs to the tenant',
    access: 'authenticated',
    tenant: 'claim',
    params,
    body: DeviceViewRequestDto,
    response: DeviceViewDto,
    problems: { 409: 'The caller has 100 views, or the tenant 200 shared ones.' },
  },
  delete: {
    method: 'DELETE',
    path: '/api/appliance/v1/device-views/:viewId',
    summary: 'Delete a view',
    access: 'authenticated',
    tenant: 'claim',
    params,
  },
  stars: {
    method: 'GET',
    path: '/api/appliance/v1/device-stars',
    summary: 'Devices that the caller has starred and may read',
    access: { scope: 'device.read' },
    tenant: 'none',
    response: dto('DeviceStarsDto', {
      deviceIds: z.array(id).describe('At most 1,000; none for a caller that is no person.'),
    }),
  },
  star: {
    method: 'PUT',
    path: '/api/appliance/v1/devices/:deviceId/star',
    summary: 'Star a device, for the caller alone',
    access: { permission: 'device.read', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: z.object({ deviceId }),
    problems: { 409: 'The caller has starred 1,000 devices.' },
  },
  unstar: {
    method: 'DELETE',
    path: '/api/appliance/v1/devices/:deviceId/star',
    summary: 'Remove the star of a device',
    access: { permission: 'device.read', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: z.object({ deviceId }),
  },
})
