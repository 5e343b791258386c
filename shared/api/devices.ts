import { z } from 'zod'
import { id, ids, nameEnum } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { DesktopSession } from '../dtos/desktop-session.ts'
import { DeviceResponseDto, DeviceSummaryResponseDto } from '../dtos/device.ts'

const params = z.object({ deviceId: id })

/** No text of a device is longer. */
const maxSearchText = 300
const columnName = z.string().max(100).nullish()

const DeviceColumnFilter = z
  .object({ propertyName: columnName, operator: columnName, value: z.string().max(maxSearchText).nullish() })
  .meta({
    id: 'DeviceColumnFilter',
    description:
      'Property names are PascalCase. Without a known property and operator, or with an unreadable value, it filters nothing.',
  })

const DeviceColumnSort = z
  .object({ propertyName: columnName, descending: z.boolean().default(false), sortOrder: z.number().int().default(0) })
  .meta({ id: 'DeviceColumnSort' })

/** Whether a device has to have one of the wanted things, or all of them. */
const FilterMatchMode = nameEnum('FilterMatchMode', { Any: 0, All: 1 })
export type FilterMatchMode = z.output<typeof FilterMatchMode>

export const DeviceSearchRequestDto = z
  .object({
    searchText: z
      .string()
      .max(maxSearchText)
      .nullish()
      .meta({ description: 'Looked for in name, alias, host name and users.' }),
    hideOfflineDevices: z.boolean().default(false),
    includeUntaggedDevices: z.boolean().default(false).meta({
      description: 'Untagged devices too; without `tagIds` untagged devices only.',
    }),
    tagIds: ids.nullish(),
    tagFilterMatchMode: FilterMatchMode.default('Any'),
    showOnlyUntaggedDevices: z.boolean().default(false).meta({ description: '`tagIds` count for nothing then.' }),
    customerIds: ids.nullish(),
    deviceGroupIds: ids.nullish(),
    deviceGroupFilterMatchMode: FilterMatchMode.default('Any'),
    showOnlyUngroupedDevices: z
      .boolean()
      .default(false)
      .meta({ description: '`deviceGroupIds` count for nothing then.' }),
    filterDefinitions: z.array(DeviceColumnFilter).max(50).nullish(),
    sortDefinitions: z
      .array(DeviceColumnSort)
      .max(8)
      .nullish()
      .meta({ description: 'Of two for the same property the first counts.' }),
    page: z.number().int().min(0).default(0),
    pageSize: z.number().int().min(1),
  })
  .meta({ id: 'DeviceSearchRequestDto' })
export type DeviceSearchRequestDto = z.output<typeof DeviceSearchRequestDto>

export const DeviceSearchResponseDto = z
  .object({
    items: z.array(DeviceResponseDto),
    totalItems: z.number().int().meta({ description: 'Devices that match, over all pages.' }),
    anyDevicesForUser: z.boolean(),
    filterCounts: z.object({
      taggedDevices: z.number().int(),
      untaggedDevices: z.number().int(),
      onlineDevices: z.number().int(),
      offlineDevices: z.number().int(),
    }),
  })
  .meta({ id: 'DeviceSearchResponseDto' })
export type DeviceSearchResponseDto = z.output<typeof DeviceSearchResponseDto>

/** No route takes `tenantId`: what a principal sees follows from its device access scope alone. */
export const devices = defineRoutes('Devices', {
  list: {
    method: 'GET',
    path: '/api/v1/devices',
    summary: 'All devices that the caller may read, oldest first',
    access: { scope: 'device.read' },
    tenant: 'none',
    response: z.array(DeviceResponseDto),
    streams: true,
  },
  summary: {
    method: 'GET',
    path: '/api/v1/devices/summary',
    summary: 'Id, last contact and agent version of each device that the caller may read',
    access: { scope: 'device.read' },
    tenant: 'none',
    response: z.array(DeviceSummaryResponseDto),
    streams: true,
  },
  search: {
    method: 'POST',
    path: '/api/v1/devices/search',
    summary: 'Search, filter, sort and page the devices that the caller may read',
    access: { scope: 'device.read' },
    tenant: 'none',
    body: DeviceSearchRequestDto,
    response: DeviceSearchResponseDto,
  },
  get: {
    method: 'GET',
    path: '/api/v1/devices/:deviceId',
    summary: 'One device',
    access: { permission: 'device.read', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    response: DeviceResponseDto,
  },
  desktopSessions: {
    method: 'GET',
    path: '/api/v1/devices/:deviceId/desktop-sessions',
    summary: 'Desktop sessions of a device that the caller may use',
    problems: { 409: 'The device is not online.', 500: 'The device did not answer.' },
    access: { permission: 'device.read', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    response: z.object({ items: z.array(DesktopSession) }).meta({ id: 'DesktopSessionsResponseDto' }),
  },
  deleteMany: {
    method: 'POST',
    path: '/api/v1/devices/delete-many',
    summary: 'Delete devices; those that are unknown or that the caller may not delete stay',
    access: { scope: 'device.delete' },
    tenant: 'none',
    body: z.object({ deviceIds: ids }).meta({ id: 'DeleteManyDevicesRequestDto' }),
    response: z
      .object({
        successIds: z.array(id),
        failureIds: z.array(id).meta({ description: 'Unknown ones, and those that the caller may not delete.' }),
      })
      .meta({ id: 'DeleteManyDevicesResponseDto' }),
  },
  setAlias: {
    method: 'PATCH',
    path: '/api/v1/devices/:deviceId/alias',
    summary: 'Set or clear the alias of a device',
    access: { permission: 'device.alias.write', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    body: z
      .object({ deviceId: id.optional(), alias: z.string().max(100).nullable() })
      .meta({ id: 'UpdateDeviceAliasRequestDto' }),
    response: DeviceResponseDto,
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/devices/:deviceId',
    summary: 'Delete a device',
    access: { permission: 'device.delete', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    response: z.void(),
    status: 204,
  },
})
