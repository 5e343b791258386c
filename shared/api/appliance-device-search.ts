import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { dto, id, queryFlag } from '../contract/fields.ts'
import { maxQueryLength, queryFields } from '../device-query.ts'
import { DeviceSearchRequestDto, DeviceSearchResponseDto } from './devices.ts'

const access = { scope: 'device.read' } as const

const query = z
  .string()
  .max(maxQueryLength)
  .default('')
  .describe(
    'Typed search, such as `tag:web customer:"Contoso" disk:>90 is:online printer`: terms of a field and its values, and text. All terms must match; values after commas are alternatives; `-` before a term excludes.',
  )

const { sortDefinitions, page, pageSize } = DeviceSearchRequestDto.shape

export const FindDevicesDto = dto('FindDevicesDto', { query, sortDefinitions, page, pageSize: pageSize.max(1000) })
export type FindDevicesDto = z.output<typeof FindDevicesDto>

const QueryProblemDto = dto('QueryProblemDto', {
  field: z.enum(queryFields).describe('Field of the term.'),
  value: z.string().describe('Value of the term that is not understood.'),
  reason: z
    .enum(['unknown', 'unreadable', 'too-short', 'too-many', 'not-permitted'])
    .describe(
      '`unknown`: nothing has this name. `unreadable`: for example `disk:much`. `too-short`: `note:` needs 3 characters. `too-many`: more than 20 terms, or a second `note:`. `not-permitted`: the caller may not read groups or notes.',
    ),
})
export type QueryProblemDto = z.output<typeof QueryProblemDto>

const problems = z.array(QueryProblemDto).describe('Terms that match nothing, because they are not understood.')

export const FoundDevicesDto = DeviceSearchResponseDto.extend({ problems }).meta({ id: 'FoundDevicesDto' })
export type FoundDevicesDto = z.output<typeof FoundDevicesDto>

const FacetValueDto = dto('FacetValueDto', {
  value: z.string().describe('Value as it is typed after the field, such as the name of a tag; `none`: without any.'),
  id: id.nullable().describe('Id of the tag, customer or group; null for other fields.'),
  count: z.number().int().describe('Devices that would match with this value.'),
})
export type FacetValueDto = z.output<typeof FacetValueDto>

const values = z.array(FacetValueDto).describe('Most devices first; at most 200.')
const count = z.number().int()

export const DeviceFacetsDto = dto('DeviceFacetsDto', {
  total: count.describe('Devices that match the whole search.'),
  hidden: count.describe('Devices that match the text alone, and are hidden by the terms.'),
  tag: values,
  customer: values,
  group: values.nullable().describe('Null for a caller without `tenant.device-groups.read`.'),
  system: values,
  version: values,
  online: count.describe('Devices that would match with `is:online` instead of the wanted presence.'),
  offline: count.describe('Devices that would match with `is:offline` instead of the wanted presence.'),
  starred: count.describe('Devices that would match with `is:starred`.'),
  outdated: count.describe('Devices that would match with `is:outdated`.'),
  diskFull: count.describe('Devices that would match with `disk:>90`.'),
})
export type DeviceFacetsDto = z.output<typeof DeviceFacetsDto>

/** Columns of the device list. */
export const deviceColumns = [
  'status',
  'name',
  'user',
  'system',
  'cpu',
  'memory',
  'disk',
  'lastSeen',
  'agent',
  'address',
  'hostName',
  'customer',
  'tags',
  'systemVersion',
] as const
export type DeviceColumn = (typeof deviceColumns)[number]

const isColumn = (name: string): name is DeviceColumn => (deviceColumns as readonly string[]).includes(name)

const columnNames = z
  .string()
  .max(300)
  .default('name')
  .refine((text) => text.split(',').every(isColumn), { message: `must list columns: ${deviceColumns.join(', ')}` })
  .describe('Columns of the list in their order, by commas; `name` has the alias beside it.')

/** Reads the checked text of `columns`. */
export const columnsIn = (text: string): DeviceColumn[] => text.split(',').filter(isColumn)

const ExportedDevices = z.object({
  query,
  columns: columnNames,
  sort: z.string().max(100).default('Name').describe('Property to sort by, as in a search; equal ones by name.'),
  descending: queryFlag.default(false).describe('Largest first.'),
})
export type ExportedDevices = z.output<typeof ExportedDevices>

/** Searches of the device list, by what a person types. */
export const applianceDeviceSearch = defineRoutes('DeviceSearch', {
  find: {
    method: 'POST',
    path: '/api/appliance/v1/devices/find',
    summary: 'Devices that match a typed search, sorted and paged; the search that the device list of the page uses',
    access,
    tenant: 'none',
    body: FindDevicesDto,
    response: FoundDevicesDto,
    isStable: true,
  },
  facets: {
    method: 'POST',
    path: '/api/appliance/v1/devices/facets',
    summary: 'For each field of a typed search its values, with the number of devices that would match',
    description: 'The counts of a field leave the terms of the same field out, so that alternatives can be compared.',
    access,
    tenant: 'none',
    body: dto('DeviceFacetsRequestDto', { query }),
    response: DeviceFacetsDto,
  },
  export: {
    method: 'GET',
    path: '/api/appliance/v1/devices/export',
    summary: 'Every device that matches a typed search, as a CSV file with the columns and the order of the list',
    access,
    tenant: 'none',
    query: ExportedDevices,
    response: z.unknown(),
    content: 'stream',
    mediaType: 'text/csv; charset=utf-8',
  },
})
