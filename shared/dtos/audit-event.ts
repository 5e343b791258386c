import { z } from 'zod'
import { auditActorKinds, auditOutcomes } from '../audit.ts'
import { dateTime, dto, id } from '../contract/fields.ts'

const name = z.string().nullable()

/** Event of the audit log. */
export const AuditEventDto = dto('AuditEventDto', {
  id: z.number().int().describe('Place in the chain: 1, 2, 3 and so on.'),
  at: dateTime.describe('When it happened.'),
  kind: z.string().describe('What happened, such as `sign-in.password`, `session.began` or `file.deleted`.'),
  category: z.string().describe('Group of the kind, such as `sign-in`, `rights` or `file`.'),
  outcome: z.enum(auditOutcomes).describe('Whether it was done, or failed.'),
  sentence: z.string().describe('The event in English, such as `ada@example.org signed out`.'),
  count: z.number().int().describe('Above 1: so many equal events past the limit of rows an hour, in one row.'),
  tenantId: id.nullable().describe('Tenant whose readers see the event; null for events of the server.'),
  actorKind: z
    .enum(auditActorKinds)
    .describe(
      'Kind of the actor: `guest` came by a link of another system, which chose the name; `system` is the server itself, or somebody at its computer; `anonymous` has not signed in.',
    ),
  actorId: name.describe('Id of the user or service account; null for the others.'),
  actorName: name.describe('Name of the actor at that moment.'),
  credentialKind: name.describe('How the actor was signed in, such as `Session` or `PersonalAccessToken`.'),
  credentialId: name.describe('Id of the token or key; null for a session.'),
  address: name.describe('Address that the request came from.'),
  browser: name.describe('`User-Agent` header of the request.'),
  targetKind: name.describe('Kind of what it was done to, such as `user`, `token`, `group` or `file`.'),
  targetId: name.describe('Id of the target.'),
  targetName: name.describe('Name of the target at that moment; path or name of a file.'),
  deviceId: name.describe('Device that it was done on.'),
  deviceName: name.describe('Name of the device at that moment.'),
  details: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .describe('Further facts by name, which depend on the kind; never secrets.'),
  hash: z.string().describe('SHA-256 of the row, with the hash of the row before.'),
})
export type AuditEventDto = z.output<typeof AuditEventDto>

/** Result of the newest check of the chain. */
export const AuditChainDto = dto('AuditChainDto', {
  holds: z
    .boolean()
    .nullable()
    .describe('Whether every row is unchanged and in its place; null before the first check.'),
  checkedAt: dateTime.nullable().describe('When it was checked: at each start, daily, and on request.'),
  problem: name.describe('The first problem found.'),
  isOfServer: z.boolean().describe('Whether the caller may read the events of the server and of every tenant.'),
  rows: z.number().int().nullable().describe('Checked rows; null without the permission on the server.'),
  firstAt: dateTime.nullable().describe('When the oldest checked row was written; null as `rows`.'),
  lostAt: dateTime
    .nullable()
    .describe(
      'When the server last found newer events missing at its start: the log was emptied, or an older copy put back. Null if never, or as `rows`.',
    ),
  removed: z.number().int().nullable().describe('Rows removed after the retention; null as `rows`.'),
  lastId: z.number().int().nullable().describe('Newest checked row; null as `rows`.'),
  hash: name.describe('Hash of the newest row. Noted elsewhere, it shows later whether the log was put back.'),
})
export type AuditChainDto = z.output<typeof AuditChainDto>
