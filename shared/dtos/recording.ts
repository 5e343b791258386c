import { z } from 'zod'
import { dateTime, dto, id, ownId, textOrNull } from '../contract/fields.ts'

export const RecordingKind = z.enum(['screen', 'terminal'])
export type RecordingKind = z.output<typeof RecordingKind>

/** Whether sessions are recorded: never, when somebody presses a button, or always. */
export const RecordingMode = z.enum(['off', 'allowed', 'always'])
export type RecordingMode = z.output<typeof RecordingMode>

export const RecordingCause = z.enum(['policy', 'button', 'kept'])
export type RecordingCause = z.output<typeof RecordingCause>

export const RecordingState = z.enum(['running', 'complete', 'interrupted'])
export type RecordingState = z.output<typeof RecordingState>

export const RecordingDto = dto('RecordingDto', {
  id: ownId,
  kind: RecordingKind.describe(
    '`screen`: the pictures of a remote-control session. `terminal`: the output of a terminal.',
  ),
  state: RecordingState.describe(
    '`interrupted`: the server stopped without notice, or recording was no longer possible.',
  ),
  cause: RecordingCause.describe('`kept`: the last minutes of a session, kept afterwards.'),
  problem: textOrNull.describe('Why the recording ended before its session.'),
  deviceId: id.describe('Device that was shown; it may be deleted by now.'),
  deviceName: z.string().describe('Name of the device at the start.'),
  customerId: id.nullable().describe('Customer of the device at the start; null for none.'),
  sessionId: id.describe('Session that was recorded, as in the audit log.'),
  personId: id.describe('User or service account of the session.'),
  personName: z.string().describe('Name of that user or account at the start.'),
  startedAt: dateTime.describe('When recording began.'),
  endedAt: dateTime.nullable().describe('When recording ended; null while it runs.'),
  bytes: z.number().int().describe('Size on the disk of the server.'),
  digest: textOrNull.describe('SHA-256 of the file, which the audit log has too; null while the recording runs.'),
})
export type RecordingDto = z.output<typeof RecordingDto>

export const RecordingStateDto = dto('RecordingStateDto', {
  mode: RecordingMode.describe('What the policies of the device say.'),
  isRecording: z.boolean().describe('Whether the session is being recorded now.'),
  recentSeconds: z.number().int().describe('How much of the session could be kept now, at most about two minutes.'),
  problem: textOrNull.describe('Why the last recording of this session ended early.'),
})
export type RecordingStateDto = z.output<typeof RecordingStateDto>

export const RecordingPolicyDto = dto('RecordingPolicyDto', {
  customerId: id.nullable().describe('The policy is for the devices of this customer and of its sites.'),
  tagId: id.nullable().describe('The policy is for devices with this tag. Without both, it is for the organization.'),
  mode: RecordingMode.describe('When sessions on these devices are recorded.'),
  retentionDays: z
    .number()
    .int()
    .min(1)
    .max(3650)
    .nullable()
    .describe('Not for tags. Null: as in the organization, where it means 90 days.'),
  quotaMegabytes: z
    .number()
    .int()
    .min(100)
    .max(100_000_000)
    .nullable()
    .describe('Not for tags. The oldest recordings above it are removed. Null: 20,000 for the organization.'),
})
export type RecordingPolicyDto = z.output<typeof RecordingPolicyDto>

/** Kinds of marks on the timeline of a recording. */
export const recordingMarks = [
  'key',
  'typed',
  'typist',
  'clipboard',
  'unread',
  'left-out',
  'display',
  'upload',
  'download',
  'block-input',
  'privacy-screen',
  'desktop-switch',
] as const

export const RecordingMarkDto = dto('RecordingMarkDto', {
  at: z.number().int().describe('Milliseconds since the start of the recording.'),
  kind: z.enum(recordingMarks).describe('What happened then.'),
  text: z.string().describe('Name of a key, a display or a file; empty for others. Typed characters are never stored.'),
})
export type RecordingMarkDto = z.output<typeof RecordingMarkDto>

export const RecordingBlockDto = dto('RecordingBlockDto', {
  from: z.number().int().describe('Milliseconds since the start of the recording, of the first entry.'),
  to: z.number().int().describe('The same of the last entry.'),
  isKey: z.boolean().describe('Whether the block can be shown without the blocks before it.'),
  bytes: z.number().int().describe('Size of the block.'),
})

export const RecordingReadingDto = dto('RecordingReadingDto', {
  id: id.describe('Names the reading in the addresses of its blocks.'),
  durationMs: z.number().int().describe('Length of the recording.'),
  startOffsetMs: z.number().int().describe('Subtract it from the milliseconds in the entries of blocks.'),
  blocks: z.array(RecordingBlockDto).describe('In order.'),
  marks: z.array(RecordingMarkDto).describe('In order.'),
})
export type RecordingReadingDto = z.output<typeof RecordingReadingDto>

/** Input of a viewer as stored in a recording: JSON, without typed characters. */
export const RecordedInput = z.union([
  /** Size of the picture from now on. */
  z.object({ width: z.number(), height: z.number() }),
  /** Place of the pointer, from 0 to 1. */
  z.object({ at: z.tuple([z.number(), z.number()]), button: z.number().optional(), isPressed: z.boolean().optional() }),
])
export type RecordedInput = z.output<typeof RecordedInput>
