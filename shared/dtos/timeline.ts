import { z } from 'zod'
import { auditActorKinds, auditOutcomes } from '../audit.ts'
import { auditCategories, type AuditCategory } from '../audit-categories.ts'
import { dateTime, dto } from '../contract/fields.ts'
import { absenceCauses, type AbsenceCause } from './device-absence.ts'

/** Groups of entries, for filters: those of the audit log, and the connections of a device. */
export const timelineGroups = ['connection', ...(Object.keys(auditCategories) as AuditCategory[])] as const
export type TimelineGroup = (typeof timelineGroups)[number]

const name = z.string().nullable()

/** Something that happened to a device, or that a person did. */
export const TimelineEntryDto = dto('TimelineEntryDto', {
  id: z.string().describe('Names the entry within this timeline.'),
  at: dateTime.describe('When it happened.'),
  group: z.enum(timelineGroups).describe('Group of the kind, such as `connection`, `session` or `file`.'),
  kind: z
    .string()
    .describe('`connection.online`, `connection.offline`, or a kind of the audit log, such as `session.began`.'),
  outcome: z.enum(auditOutcomes).describe('Whether it was done, or failed.'),
  sentence: z.string().describe('The entry in English, such as `ada@example.org restarted Reception`.'),
  count: z.number().int().describe('Above 1: so many equal events, in one entry.'),
  cause: z
    .enum(Object.keys(absenceCauses) as [AbsenceCause, ...AbsenceCause[]])
    .nullable()
    .describe('Why the device went offline, as far as known; null for every other entry.'),
  actor: dto('TimelineActorDto', {
    kind: z.enum(auditActorKinds).describe('Kind of the actor.'),
    id: name.describe('Id of the user or service account; null for the others.'),
    name: name.describe('Name of the actor.'),
  })
    .nullable()
    .describe('Who did it; null for a connection.'),
  device: dto('TimelineDeviceDto', {
    id: z.string().describe('The device, which may be deleted since.'),
    name: name.describe('Name of the device at that moment.'),
  })
    .nullable()
    .describe('Device that it was done on.'),
  target: dto('TimelineTargetDto', {
    kind: name.describe('Kind of the target, such as `user` or `group`.'),
    id: name.describe('Id of the target.'),
    name: name.describe('Name of the target.'),
  })
    .nullable()
    .describe('What it was done to.'),
  auditId: z.number().int().nullable().describe('Its entry in the audit log, for those who may read that.'),
})
export type TimelineEntryDto = z.output<typeof TimelineEntryDto>
