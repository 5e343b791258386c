import { z } from 'zod'
import { auditOutcomes } from '../audit.ts'
import { auditCategories, type AuditCategory } from '../audit-categories.ts'
import { dateTime, dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { AuditChainDto, AuditEventDto } from '../dtos/audit-event.ts'

const categories = Object.keys(auditCategories) as [AuditCategory, ...AuditCategory[]]
const text = z.string().trim().max(128).optional()
const place = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional()

const filters = z.object({
  person: text.describe('Id of the actor or target; or part of their name, in the newest 50,000 events.'),
  device: text.describe('Id of the device; or part of its name, in the newest 50,000 events.'),
  category: z.enum(categories).optional().describe('Only kinds of this group.'),
  kind: z.string().trim().max(64).optional().describe('Only this kind.'),
  outcome: z.enum(auditOutcomes).optional().describe('Only events with this outcome.'),
  from: dateTime.optional().describe('First instant, included.'),
  to: dateTime.optional().describe('Last instant, included.'),
})
export type AuditFilters = z.output<typeof filters>

const search = filters.extend({
  before: place.describe('Only older events than the one with this `id`: the next page.'),
  limit: z.coerce.number().int().min(1).max(500).default(100).describe('1 to 500 events.'),
})
export type AuditSearch = z.output<typeof search>

const wanted = filters.extend({
  after: place.describe(
    'Only newer events than the one with this `id`, oldest first: the next part for a program that collects the log.',
  ),
  format: z.enum(['csv', 'jsonl']).describe('`csv` for spreadsheets, with formulas escaped; `jsonl`: an event a line.'),
})

const response = dto('AuditEventListDto', {
  items: z.array(AuditEventDto).describe('Events, newest first.'),
  hasMore: z.boolean().describe('Whether there are older events that match.'),
})

const onTenant = { permission: 'appliance.audit.read', on: 'tenant', orOnServer: 'appliance.audit.read' } as const
const onServer = { permission: 'appliance.audit.read', on: 'server' } as const
const exported = {
  method: 'GET',
  query: wanted,
  response: z.unknown(),
  content: 'stream',
  mediaType: 'application/octet-stream',
} as const

/** The audit log: actor, origin, action, target, time and outcome. */
export const applianceAuditLog = defineRoutes('AuditLog', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/audit-log',
    summary: 'Events of a tenant, newest first',
    isStable: true,
    access: onTenant,
    tenant: 'queryOrClaim',
    query: search,
    response,
  },
  listAll: {
    method: 'GET',
    path: '/api/appliance/v1/audit-log/server',
    summary: 'Events of the server and of every tenant, newest first',
    isStable: true,
    access: onServer,
    tenant: 'none',
    query: search,
    response,
  },
  export: {
    ...exported,
    path: '/api/appliance/v1/audit-log/export',
    summary: 'Every matching event of a tenant, newest first, as a file',
    access: onTenant,
    tenant: 'queryOrClaim',
  },
  exportAll: {
    ...exported,
    path: '/api/appliance/v1/audit-log/server/export',
    summary: 'Every matching event of the server and of every tenant, newest first, as a file',
    access: onServer,
    tenant: 'none',
  },
  chain: {
    method: 'GET',
    path: '/api/appliance/v1/audit-log/chain',
    summary: 'Whether the log is unchanged, by the newest check',
    access: onTenant,
    tenant: 'queryOrClaim',
    response: AuditChainDto,
  },
  verify: {
    method: 'POST',
    path: '/api/appliance/v1/audit-log/server/check',
    summary: 'Check the whole log now',
    access: onServer,
    tenant: 'none',
    response: AuditChainDto,
  },
})
