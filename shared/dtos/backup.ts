import { z } from 'zod'
import { dateTime, dto, textOrNull } from '../contract/fields.ts'

const fingerprint = z
  .string()
  .describe('Fingerprint of a recovery key, such as `7QK2-M9XD`; the key cannot be derived.')

const BackupCountsDto = dto('BackupCountsDto', {
  people: z.int().describe('Accounts in the copy.'),
  devices: z.int().describe('Devices in the copy.'),
  organizations: z.int().describe('Tenants in the copy.'),
  events: z.int().describe('Events of the audit log in the copy.'),
})
export type BackupCountsDto = z.output<typeof BackupCountsDto>

const keptCopies = z.int().min(0).max(400)

export const BackupSettingsDto = dto('BackupSettingsDto', {
  folder: z
    .string()
    .trim()
    .min(1)
    .max(1000)
    .nullable()
    .describe('Folder of the nightly copies on the computer of the server, a full path; null turns them off.'),
  hour: z.int().min(0).max(23).describe('Hour of the nightly copy, in the time zone of the server.'),
  keepDaily: keptCopies.min(1).describe('Days of which the newest copy is kept.'),
  keepWeekly: keptCopies.describe('Weeks of which the newest copy is kept.'),
  keepMonthly: keptCopies.describe('Months of which the newest copy is kept.'),
})
export type BackupSettingsDto = z.output<typeof BackupSettingsDto>

export const BackupDto = dto('BackupDto', {
  settings: BackupSettingsDto.describe('Folder and schedule.'),
  recoveryKey: z
    .object({
      fingerprint,
      madeAt: dateTime.describe('When the key was made.'),
      provedAt: dateTime.nullable().describe('When somebody last proved to have the key; null: never.'),
    })
    .nullable()
    .describe('Recovery key that opens new copies; null before one is made, and then no copy is made.'),
  newest: z
    .object({
      at: dateTime.describe('When it was made.'),
      bytes: z.int().describe('Size of the file.'),
      path: z.string().describe('The file, on the computer of the server.'),
    })
    .nullable()
    .describe('Newest copy; null before the first.'),
  isOld: z.boolean().describe('Whether nightly copies are on and none was made for two days.'),
  isOnDiskOfData: z.boolean().describe('Whether the folder is on the disk of the data: both are lost with it.'),
  failure: z
    .object({ at: dateTime.describe('When it failed.'), reason: z.string().describe('Sentence for people.') })
    .nullable()
    .describe('Failure since the newest copy; null without one.'),
  rehearsal: z
    .object({
      at: dateTime.describe('When the copy was opened.'),
      path: z.string().describe('The copy.'),
      problem: textOrNull.describe('Why it cannot be restored; null if it can.'),
      counts: BackupCountsDto.nullable().describe('What the copy holds; null if it cannot be restored.'),
    })
    .nullable()
    .describe('Last rehearsal of a restore; null before the first.'),
})
export type BackupDto = z.output<typeof BackupDto>

export const BackupCopyDto = dto('BackupCopyDto', {
  name: z.string().describe('Name of the file.'),
  path: z.string().describe('Full path on the computer of the server.'),
  bytes: z.int().describe('Size of the file.'),
  createdAt: dateTime.nullable().describe('When it was made; null for a file whose beginning is damaged.'),
  computer: textOrNull.describe('Computer that made it; null for a damaged one.'),
  recoveryKey: fingerprint.nullable().describe('Fingerprint of the key that opens it; null for a damaged one.'),
  isOwn: z.boolean().describe('Whether this server made it.'),
})
export type BackupCopyDto = z.output<typeof BackupCopyDto>

export const NewRecoveryKeyDto = dto('NewRecoveryKeyDto', {
  recoveryKey: z.string().describe('The key, returned this once: 8 groups of 5 characters.'),
  fingerprint,
})
export type NewRecoveryKeyDto = z.output<typeof NewRecoveryKeyDto>

export const recoveryKeyField = z
  .string()
  .min(1)
  .max(200)
  .describe('Recovery key as typed: case, blanks and hyphens do not count.')

export const RestoredDto = dto('RestoredDto', {
  createdAt: dateTime.describe('When the copy was made.'),
  computer: z.string().describe('Computer that made it.'),
  counts: BackupCountsDto.describe('What the copy holds.'),
  restarts: z.boolean().describe('Whether the server restarts by itself now; else somebody has to restart it.'),
})
export type RestoredDto = z.output<typeof RestoredDto>
