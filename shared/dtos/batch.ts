import { z } from 'zod'
import type { DevicePermission } from '../access.ts'
import { dateTime, id, maxIds } from '../contract/fields.ts'

/** What can be done with many devices at once, and the permission that it needs on each. */
export const batchPermissions = {
  'run-command': 'device.terminal.use',
  restart: 'device.power.manage',
  'shut-down': 'device.power.manage',
  'update-agent': 'device.agent.update',
  wake: 'device.wake.send',
  'add-tag': 'device.tags.write',
  'remove-tag': 'device.tags.write',
} as const satisfies Record<string, DevicePermission>
export type BatchKind = keyof typeof batchPermissions

const kinds = Object.keys(batchPermissions) as [BatchKind, ...BatchKind[]]

/**
 * What became of one device. `skipped` could not be reached or cannot do it, `canceled` was not begun, and nobody knows how
 * `interrupted` went on; what is none of the three was done or refused.
 */
export const batchStates = ['waiting', 'running', 'done', 'failed', 'skipped', 'canceled', 'interrupted'] as const
export type BatchState = (typeof batchStates)[number]
const BatchState = z.enum(batchStates).meta({
  id: 'BatchState',
  description:
    'waiting and running go on; skipped was out of reach or cannot do it, canceled was never begun, and how interrupted ended is not known.',
})

const count = z.number().int().min(0)
const counts = z
  .object(Object.fromEntries(batchStates.map((state) => [state, count])) as Record<BatchState, typeof count>)
  .meta({ id: 'BatchCountsDto' })

/** Longest command, in characters. */
export const maxCommandLength = 8_000

export const timeLimitSeconds = z.number().int().min(1).max(3_600)

export const StartBatchDto = z
  .object({
    kind: z.enum(kinds),
    deviceIds: z.array(id).min(1).max(maxIds),
    command: z.string().max(maxCommandLength).optional().meta({ description: 'For run-command, as a shell takes it.' }),
    timeLimitSeconds: timeLimitSeconds.optional().meta({ description: 'For run-command; 60 when it is missing.' }),
    tagId: id.optional().meta({ description: 'For add-tag and remove-tag.' }),
  })
  .meta({ id: 'StartBatchDto' })
export type StartBatchDto = z.output<typeof StartBatchDto>

export const BatchDto = z
  .object({
    id,
    kind: z.enum(kinds),
    command: z.string().nullable(),
    timeLimitSeconds: timeLimitSeconds.nullable(),
    tagId: id.nullable(),
    tagName: z.string().nullable().meta({ description: 'As it was called when the batch was started.' }),
    createdAt: dateTime,
    finishedAt: dateTime.nullable(),
    counts,
  })
  .meta({ id: 'BatchDto' })
export type BatchDto = z.output<typeof BatchDto>

export const BatchResultDto = z
  .object({
    deviceId: id,
    deviceName: z.string().meta({ description: 'As it was called then; empty for one that the caller may not read.' }),
    state: BatchState,
    reason: z.string().nullable(),
    startedAt: dateTime.nullable(),
    finishedAt: dateTime.nullable(),
    exitCode: z.number().int().nullable(),
    lastLine: z.string().nullable().meta({ description: 'The last line of the output, cut to 160 characters.' }),
    hasOutput: z.boolean(),
  })
  .meta({ id: 'BatchResultDto' })
export type BatchResultDto = z.output<typeof BatchResultDto>

export const BatchOutputDto = z
  .object({
    output: z.string(),
    errorOutput: z.string(),
    isCut: z.boolean().meta({ description: 'Only the end of one of them was kept.' }),
  })
  .meta({ id: 'BatchOutputDto' })
export type BatchOutputDto = z.output<typeof BatchOutputDto>
