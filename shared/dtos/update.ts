import { z } from 'zod'
import { count, dateTime, dto, textOrNull } from '../contract/fields.ts'

const version = (what: string) => z.string().describe(`Version ${what}, four numbers with dots.`)

const OfferedUpdateDto = dto('OfferedUpdateDto', {
  version: version('that the feed offers'),
  notes: z.string().describe('What is new, as Markdown.'),
  signedAt: dateTime.describe('When the release was signed.'),
  bytes: z.number().int().nullable().describe('Size of the download for this system; null: there is none.'),
  problem: textOrNull.describe('Why it cannot be installed here, and what to do; null if it can.'),
})

const RunningUpdateDto = dto('RunningUpdateDto', {
  version: version('that is being installed, or gone back to'),
  step: z
    .enum(['backup', 'download', 'unpack', 'hand-over', 'trial'])
    .describe('`trial`: the new version runs, and its health is not confirmed yet.'),
  doneBytes: z.number().int().describe('Bytes downloaded so far.'),
  totalBytes: z.number().int().describe('Bytes of the download.'),
})

const UpdateRunDto = dto('UpdateRunDto', {
  kind: z.enum(['install', 'back']).describe('An update to a newer version, or a return to the previous version.'),
  fromVersion: version('before'),
  toVersion: version('that was wanted'),
  byName: textOrNull.describe('Who asked for it; null for a command at the computer of the server.'),
  startedAt: dateTime.describe('When it began.'),
  endedAt: dateTime.nullable().describe('When it was settled; null while it runs.'),
  outcome: z
    .enum(['installed', 'failed', 'returned', 'stopped'])
    .nullable()
    .describe(
      '`failed`: the previous version runs again; `stopped`: ended before anything was changed; null while it runs.',
    ),
  reason: textOrNull.describe('Why it failed.'),
  isDataRestored: z.boolean().describe('Whether earlier data replaced newer data, which was moved aside.'),
})
export type UpdateRunDto = z.output<typeof UpdateRunDto>

const PreviousVersionDto = dto('PreviousVersionDto', {
  version: version('before this one'),
  replacedAt: dateTime.describe('When it was replaced.'),
  isDataRestored: z
    .boolean()
    .describe('Whether going back restores data of that time, because that version cannot read the present data.'),
})

export const AgentRolloutDto = dto('AgentRolloutDto', {
  tenantId: z.string().describe('Tenant whose devices follow.'),
  tenantName: z.string().describe('Name of the tenant.'),
  version: z.string().describe('Version of the agent.'),
  ring: z.number().int().min(1).max(3).describe('1: one device; 2: ten per cent; 3: all.'),
  state: z.enum(['running', 'stopped', 'done']).describe('`stopped`: too many devices of a ring failed.'),
  reason: textOrNull.describe('Why it was stopped.'),
  counts: z
    .object({
      asked: count('Devices that were asked and have not come back yet.'),
      updated: count('Devices that run the version.'),
      failed: count('Devices that rejected it, or did not come back with it.'),
      skipped: count('Devices that were shut down meanwhile.'),
      waiting: count('Devices that are not offered the version yet.'),
    })
    .describe('Devices by outcome.'),
  failures: z
    .array(
      z.object({
        deviceId: z.string().describe('Id of the device.'),
        name: z.string().describe('Its name.'),
        reason: z.string().describe('What happened.'),
      }),
    )
    .describe('The first ten devices that failed.'),
})
export type AgentRolloutDto = z.output<typeof AgentRolloutDto>

export const UpdateStateDto = dto('UpdateStateDto', {
  version: version('that runs'),
  feed: textOrNull.describe('Where releases come from; null: the server looks for none.'),
  checkedAt: dateTime.nullable().describe('When the feed was last checked; null for never.'),
  problem: textOrNull.describe(
    'Why no release can be offered, and what to do: the last check failed, or this build cannot verify releases.',
  ),
  offered: OfferedUpdateDto.nullable().describe('A newer version; null: there is none.'),
  running: RunningUpdateDto.nullable().describe('An update that runs now.'),
  runs: z.array(UpdateRunDto).describe('The last ten updates, newest first.'),
  previous: PreviousVersionDto.nullable().describe('The version to go back to; null: none is kept.'),
  rollout: AgentRolloutDto.nullable().describe('The first of `rollouts`; null: no version is on its way.'),
  rollouts: z.array(AgentRolloutDto).describe('How agents follow, in each tenant for itself.'),
})
export type UpdateStateDto = z.output<typeof UpdateStateDto>

export const AgentDueDto = dto('AgentDueDto', {
  isDue: z.boolean().describe('False while other devices try the version first.'),
})
