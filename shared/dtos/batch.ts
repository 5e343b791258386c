import { z } from 'zod'
import type { DevicePermission } from '../access.ts'
import { count, dateTime, dto, id, maxIds, ownId, textOrNull } from '../contract/fields.ts'
import { devicePath } from './file-system.ts'
import { PowerTiming } from './power-order.ts'
import { deviceId } from './references.ts'

/** Actions of batches, with the permission required on each device. */
export const batchPermissions = {
  'run-command': 'device.terminal.use',
  restart: 'device.power.manage',
  'shut-down': 'device.power.manage',
  'send-files': 'device.file-system.transfer-upload',
  'update-agent': 'device.agent.update',
  wake: 'device.wake.send',
  'add-tag': 'device.tags.write',
  'remove-tag': 'device.tags.write',
} as const satisfies Record<string, DevicePermission>
export type BatchKind = keyof typeof batchPermissions

const kinds = Object.keys(batchPermissions) as [BatchKind, ...BatchKind[]]

/**
 * State of one device in a batch. `skipped`: unreachable or unable; `canceled`: not started; `interrupted`: outcome
 * unknown; `done` and `failed`: carried out or rejected.
 */
export const batchStates = ['waiting', 'running', 'done', 'failed', 'skipped', 'canceled', 'interrupted'] as const
export type BatchState = (typeof batchStates)[number]
const BatchState = z.enum(batchStates).meta({
  id: 'BatchState',
  description:
    'skipped: unreachable or unable; canceled: never started; interrupted: outcome unknown; done and failed: carried out or rejected.',
})

const counts = dto('BatchCountsDto', {
  waiting: count('Devices on which the step has not started.'),
  running: count('Devices on which the step is running.'),
  done: count('Devices that did it; for `run-command`, with exit code 0.'),
  failed: count('Devices that rejected the step, did not respond, or ended with another exit code.'),
  skipped: count('Devices that were out of reach, for which the kind does not apply, or that the caller may not use.'),
  canceled: count('Devices on which the step had not started when the batch was canceled.'),
  interrupted: count('Devices whose outcome is unknown: the connection or this server ended.'),
} satisfies Record<BatchState, unknown>)

/** Maximum length of a command, in characters. */
export const maxCommandLength = 8_000

export const timeLimitSeconds = z.number().int().min(1).max(3_600)

/** Maximum number of files that a batch sends. */
export const maxBatchFiles = 20

export const BatchFileDto = dto('BatchFileDto', {
  id: ownId,
  name: z.string().describe('Name that the file gets on the devices.'),
  size: count('Bytes of the file.'),
})
export type BatchFileDto = z.output<typeof BatchFileDto>

const folder = 'Absolute path of an existing folder; '
const overwrite = 'Replace files of the same name; otherwise'

export const StartBatchDto = dto('StartBatchDto', {
  kind: z
    .enum(kinds)
    .describe(
      'What is done with each device. The caller needs the permission for it on every device that is not to be skipped.',
    ),
  deviceIds: z
    .array(id)
    .min(1)
    .max(maxIds)
    .describe("1 to 1,000 devices; each gets one result. Those out of the caller's reach are skipped."),
  command: z.string().max(maxCommandLength).optional().describe('For run-command, as a shell takes it.'),
  timeLimitSeconds: timeLimitSeconds.optional().describe('For run-command; 60 when it is missing.'),
  tagId: id.optional().describe('For add-tag and remove-tag.'),
  power: PowerTiming.optional().describe('For restart and shut-down; at once, with nobody asked, when it is missing.'),
  delivery: dto('StartBatchDeliveryDto', {
    fileIds: z
      .array(id)
      .min(1)
      .max(maxBatchFiles)
      .describe('Files from `POST /api/appliance/v1/batch-files`, in this order.'),
    folder: devicePath
      .optional()
      .describe(`${folder}when it is missing, the desktop of a person who is signed in, or the folder of that person.`),
    overwrite: z.boolean().optional().describe(`${overwrite} the device fails. False when it is missing.`),
  })
    .optional()
    .describe('For send-files.'),
})
export type StartBatchDto = z.output<typeof StartBatchDto>

export const BatchDto = dto('BatchDto', {
  id: ownId,
  kind: z.enum(kinds).describe('What is done with each device.'),
  command: textOrNull.describe('Command line of `run-command`; null for other kinds.'),
  timeLimitSeconds: timeLimitSeconds
    .nullable()
    .describe('Seconds that the command may take on each device, 1 to 3,600; null for kinds other than `run-command`.'),
  tagId: id.nullable().describe('Tag of `add-tag` and `remove-tag`; null for other kinds.'),
  tagName: textOrNull.describe('As it was called when the batch was started.'),
  power: PowerTiming.nullable().describe('When restart and shut-down happen, and who is asked; null for at once.'),
  delivery: dto('BatchDeliveryDto', {
    files: z.array(BatchFileDto).describe('The files, in the order in which they are sent.'),
    folder: textOrNull.describe(`${folder}null for the desktop of a person who is signed in.`),
    overwrite: z.boolean().describe(`${overwrite} a device that has one fails.`),
  })
    .nullable()
    .describe('Files of `send-files`; null for other kinds.'),
  createdAt: dateTime.describe('When the batch was started.'),
  finishedAt: dateTime.nullable().describe('When the last device was done; null while the batch runs.'),
  counts: counts.describe('Number of devices in each state.'),
})
export type BatchDeliveryDto = NonNullable<BatchDto['delivery']>
export type BatchDto = z.output<typeof BatchDto>

export const BatchResultDto = dto('BatchResultDto', {
  deviceId,
  deviceName: z.string().describe('As it was called then; empty for one that the caller may not read.'),
  state: BatchState.describe('How far the work with this device is.'),
  reason: textOrNull.describe('Why the device failed or was skipped, in a sentence for people; null for other states.'),
  startedAt: dateTime.nullable().describe('When the work with this device began; null before that.'),
  finishedAt: dateTime.nullable().describe('When the work with this device ended; null before that.'),
  exitCode: z
    .number()
    .int()
    .nullable()
    .describe('Exit code of the command; null for other kinds, and when the command did not end by itself.'),
  lastLine: textOrNull.describe('The last line of the output, cut to 160 characters.'),
  progress: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('Part of the bytes that were sent to the device, from 0 to 1, while `send-files` runs there; else null.'),
  hasOutput: z.boolean().describe('Whether the command wrote anything: `GET …/results/{deviceId}/output` returns it.'),
})
export type BatchResultDto = z.output<typeof BatchResultDto>

export const BatchOutputDto = dto('BatchOutputDto', {
  output: z.string().describe('Standard output as text; bytes that are not UTF-8 are replaced.'),
  errorOutput: z.string().describe('Standard error as text; empty where the device joins it with the output.'),
  isCut: z.boolean().describe('Only the end of one of them was kept.'),
})
export type BatchOutputDto = z.output<typeof BatchOutputDto>
