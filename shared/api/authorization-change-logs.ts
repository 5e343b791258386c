import { z } from 'zod'
import { dateTime, dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { AuthorizationChangeLogResponseDto } from '../dtos/authorization-change-log.ts'

const exact = z.string().trim().max(100).optional()

/** Search of entries; omitted members do not filter. */
const search = z.object({
  actionType: exact.describe('Only entries with exactly this `actionType`.'),
  targetType: exact.describe('Only entries with exactly this `targetType`.'),
  actorType: exact.describe('Only entries with exactly this `actorPrincipalType`.'),
  searchText: z
    .string()
    .trim()
    .max(128)
    .optional()
    .describe(
      'The id of an entry, or a part of what it names: the id of its actor or its target, the name or address of one of ' +
        'them, or, in the newest 20,000 entries, a value in `beforeJson` or `afterJson`.',
    ),
  from: dateTime.optional().describe('First instant, included.'),
  to: dateTime.optional().describe('Last instant, included.'),
  page: z.number().int().min(0).max(1_000_000).default(0).describe('Counted from 0.'),
  pageSize: z
    .number()
    .int()
    .default(50)
    .overwrite((size) => Math.min(Math.max(size, 1), 200))
    .describe('1 to 200; what is outside is brought inside.'),
})
export type AuthorizationChangeLogSearch = z.output<typeof search>

const response = dto('AuthorizationChangeLogListResponseDto', {
  items: z.array(AuthorizationChangeLogResponseDto).describe('One page of entries, newest first.'),
  totalItems: z.number().int().describe('Entries that match, over all pages.'),
})

export const authorizationChangeLogs = defineRoutes('AuthorizationChangeLogs', {
  list: {
    method: 'GET',
    path: '/api/v1/authorization-change-logs',
    summary: 'Changes of rights in a tenant, newest first',
    access: {
      permission: 'tenant.authorization-logs.read',
      on: 'tenant',
      orOnServer: 'server.authorization-logs.read',
    },
    tenant: 'query',
    query: search,
    response,
  },
  listOfServer: {
    method: 'GET',
    path: '/api/v1/authorization-change-logs/server',
    summary: 'Changes of rights that belong to no tenant, newest first',
    access: { permission: 'server.authorization-logs.read', on: 'server' },
    tenant: 'none',
    query: search,
    response,
  },
})
