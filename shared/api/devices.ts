import { z } from 'zod'
import { dto, id, ids, listDto, nameEnum } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { DesktopSession } from '../dtos/desktop-session.ts'
import { DeviceResponseDto, DeviceSummaryResponseDto } from '../dtos/device.ts'
import { deviceId } from '../dtos/references.ts'

const params = z.object({ deviceId })

/** Longer than any text of a device. */
const maxSearchText = 300
const columnName = z.string().max(100).nullish()

const DeviceColumnFilter = z
  .object({
    propertyName: columnName.describe(
      '`Name`, `Alias`, `OsDescription`, `ConnectionId`, `IsOnline`, `CpuUtilization`, `UsedMemoryPercent` or `UsedStoragePercent`; case counts.',
    ),
    operator: columnName.describe(
      'For texts `contains`, `not contains`, `equals`, `not equals`, `starts with`, `ends with`, `is empty` or `is not empty`; for `IsOnline` `is`; for numbers `=`, `!=`, `>`, `>=`, `<`, `<=`, `is empty` or `is not empty`.',
    ),
    value: z
      .preprocess(
        (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
        z.string().max(maxSearchText).nullish(),
      )
      .describe(
        'Text to compare with, of any case; `true` or `false` for `IsOnline`; a fraction of 0 to 1 for the numbers. At most 300 characters.',
      ),
  })
  .meta({
    id: 'DeviceColumnFilter',
    description:
      'Property names are PascalCase. Without a known property and operator, or with an unreadable value, it filters nothing.',
  })

const DeviceColumnSort = dto('DeviceColumnSort', {
  propertyName: columnName.describe(
    '`Name`, `IsOnline`, `CpuUtilization`, `UsedMemoryPercent` or `UsedStoragePercent`; others are ignored.',
  ),
  descending: z.boolean().default(false).describe('Largest first.'),
  sortOrder: z.number().int().default(0).describe('Rank among the sorts: the lowest counts first.'),
})

/** Ignores null elements, like null members of an element. */
const withoutNulls = <T>(items: readonly (T | null)[]): T[] => items.filter((item): item is T => item !== null)

/** Whether a device must have any or all of the listed things. */
const FilterMatchMode = nameEnum('FilterMatchMode', { Any: 0, All: 1 })
export type FilterMatchMode = z.output<typeof FilterMatchMode>

export const DeviceSearchRequestDto = dto('DeviceSearchRequestDto', {
  searchText: z.string().max(maxSearchText).nullish().describe('Looked for in name, alias, host name and users.'),
  hideOfflineDevices: z.boolean().default(false).describe('Only devices that are online.'),
  includeUntaggedDevices: z
    .boolean()
    .default(false)
    .describe('Untagged devices too; without `tagIds` untagged devices only.'),
  tagIds: ids.nullish().describe('Only devices with these tags; at most 1,000. Left out: no filter.'),
  tagFilterMatchMode: FilterMatchMode.default('Any').describe(
    '`Any`: one of `tagIds` is enough. `All`: the device needs each.',
  ),
  showOnlyUntaggedDevices: z.boolean().default(false).describe('`tagIds` count for nothing then.'),
  customerIds: ids.nullish().describe('Only devices of these customers; at most 1,000. Left out: no filter.'),
  deviceGroupIds: ids.nullish().describe('Only devices in these groups; at most 1,000. Left out: no filter.'),
  deviceGroupFilterMatchMode: FilterMatchMode.default('Any').describe(
    '`Any`: one of `deviceGroupIds` is enough. `All`: the device must be in each.',
  ),
  showOnlyUngroupedDevices: z.boolean().default(false).describe('`deviceGroupIds` count for nothing then.'),
  filterDefinitions: z
    .array(DeviceColumnFilter.nullable())
    .max(50)
    .transform(withoutNulls)
    .nullish()
    .describe('At most 50 conditions on columns; a device must meet all of them.'),
  sortDefinitions: z
    .array(DeviceColumnSort.nullable())
    .max(8)
    .transform(withoutNulls)
    .nullish()
    .describe('Of two for the same property the first counts.'),
  page: z.number().int().min(0).default(0).describe('Counted from 0.'),
  pageSize: z.number().int().min(1).describe('Devices per page, at least 1.'),
})
export type DeviceSearchRequestDto = z.output<typeof DeviceSearchRequestDto>

export const DeviceSearchResponseDto = dto('DeviceSearchResponseDto', {
  items: z.array(DeviceResponseDto).describe('One page of devices; by creation time where no sort is given.'),
  totalItems: z.number().int().describe('Devices that match, over all pages.'),
  anyDevicesForUser: z.boolean().describe('Whether the caller can read any device, whatever was searched for.'),
  filterCounts: z
    .object({
      taggedDevices: z.number().int().describe('Devices with at least one tag.'),
      untaggedDevices: z.number().int().describe('Devices without a tag.'),
      onlineDevices: z.number().int().describe('Devices whose agent is connected.'),
      offlineDevices: z.number().int().describe('Devices whose agent is not connected.'),
    })
    .describe('Counts over the devices that match, over all pages.'),
})

/** No route takes `tenantId`: the principal's device access scope alone decides which devices are visible. */
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
    response: listDto('DesktopSessionsResponseDto', DesktopSession, 'Desktops that the caller may reach; not paged.'),
  },
  deleteMany: {
    method: 'POST',
    path: '/api/v1/devices/delete-many',
    summary: 'Delete devices; those that are unknown or that the caller may not delete stay',
    access: { scope: 'device.delete' },
    tenant: 'none',
    body: dto('DeleteManyDevicesRequestDto', { deviceIds: ids.describe('At most 1,000 devices.') }),
    response: dto('DeleteManyDevicesResponseDto', {
      successIds: z.array(id).describe('Devices that were deleted.'),
      failureIds: z.array(id).describe('Unknown ones, and those that the caller may not delete.'),
    }),
  },
  setAlias: {
    method: 'PATCH',
    path: '/api/v1/devices/:deviceId/alias',
    summary: 'Set or clear the alias of a device',
    access: { permission: 'device.alias.write', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    body: dto('UpdateDeviceAliasRequestDto', {
      deviceId: id.optional().describe('Same as in the path, or left out.'),
      alias: z.string().max(100).nullable().describe('Name of at most 100 characters; null removes it.'),
    }),
    response: DeviceResponseDto,
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/devices/:deviceId',
    summary: 'Delete a device',
    access: { permission: 'device.delete', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
  },
})
