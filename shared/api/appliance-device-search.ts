import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { id } from '../contract/fields.ts'
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

export const FindDevicesDto = z
  .object({ query, sortDefinitions, page, pageSize: pageSize.max(1000) })
  .meta({ id: 'FindDevicesDto' })
export type FindDevicesDto = z.output<typeof FindDevicesDto>

const QueryProblemDto = z
  .object({
    field: z.enum(queryFields).describe('Field of the term.'),
    value: z.string().describe('Value of the term that is not understood.'),
    reason: z
      .enum(['unknown', 'unreadable', 'too-short', 'too-many', 'not-permitted'])
      .describe(
        '`unknown`: nothing has this name. `unreadable`: for example `disk:much`. `too-short`: `note:` needs 3 characters. `too-many`: more than 20 terms, or a second `note:`. `not-permitted`: the caller may not read groups or notes.',
      ),
  })
  .meta({ id: 'QueryProblemDto' })
export type QueryProblemDto = z.output<typeof QueryProblemDto>

const problems = z.array(QueryProblemDto).describe('Terms that match nothing, because they are not understood.')

export const FoundDevicesDto = DeviceSearchResponseDto.extend({ problems }).meta({ id: 'FoundDevicesDto' })
export type FoundDevicesDto = z.output<typeof FoundDevicesDto>

const FacetValueDto = z
  .object({
    value: z.string().describe('Value as it is typed after the field, such as the name of a tag; `none`: without any.'),
    id: id.nullable().describe('Id of the tag, customer or group; null for other fields.'),
    count: z.number().int().describe('Devices that would match with this value.'),
  })
  .meta({ id: 'FacetValueDto' })
export type FacetValueDto = z.output<typeof FacetValueDto>

const values = z.array(FacetValueDto).describe('Most devices first; at most 200.')
const count = z.number().int()

export const DeviceFacetsDto = z
  .object({
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
  .meta({ id: 'DeviceFacetsDto' })
export type DeviceFacetsDto = z.output<typeof DeviceFacetsDto>

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
  },
  facets: {
    method: 'POST',
    path: '/api/appliance/v1/devices/facets',
    summary: 'For each field of a typed search its values, with the number of devices that would match',
    description: 'The counts of a field leave the terms of the same field out, so that alternatives can be compared.',
    access,
    tenant: 'none',
    body: z.object({ query }).meta({ id: 'DeviceFacetsRequestDto' }),
    response: DeviceFacetsDto,
  },
})
