import { z } from 'zod'
import { dto, id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { deviceId } from '../dtos/references.ts'
import { TimelineEntryDto, timelineGroups } from '../dtos/timeline.ts'

const isGroup = (name: string) => (timelineGroups as readonly string[]).includes(name)

const groups = z
  .string()
  .max(400)
  .transform((text) => text.split(','))
  .refine((names) => names.every(isGroup), 'must be groups, such as session,file')

const search = z.object({
  groups: groups.optional().describe('Only entries of these groups, separated by commas: `connection,session`.'),
  before: z
    .string()
    .regex(/^\d{1,16}\.\d{1,16}$/, 'must be `next` of the page before')
    .optional()
    .describe('`next` of the page before: older entries.'),
  limit: z.coerce.number().int().min(1).max(200).default(100).describe('1 to 200 entries.'),
})
export type TimelineSearch = z.output<typeof search>

const response = dto('TimelineDto', {
  items: z.array(TimelineEntryDto).describe('Entries, newest first. A page may have none and still a next one.'),
  next: z.string().nullable().describe('`before` of the next page; null for the last one.'),
})

/** Timelines of devices and people over the last 90 days. */
export const applianceTimeline = defineRoutes('Timeline', {
  ofDevice: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/timeline',
    summary: 'What happened to a device in the last 90 days, newest first',
    description:
      'Connections with the reason of their end, sessions, alerts and registrations are for everybody who may read the device, with the names of those who worked on it; guests with a link get 403. Everything else, such as files, commands and rights, is for those who may read the audit log of the organization; what the caller did is always there.',
    access: { permission: 'device.read', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: z.object({ deviceId }),
    query: search,
    response,
  },
  ofPerson: {
    method: 'GET',
    path: '/api/appliance/v1/people/:userId/timeline',
    summary: 'What a person did, and what was done to the account, in the last 90 days, newest first',
    access: { permission: 'appliance.audit.read', on: 'tenant', orOnServer: 'appliance.audit.read' },
    tenant: 'queryOrClaim',
    params: z.object({ userId: id.describe('The person.') }),
    query: search,
    response,
  },
})
