import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { reservedPrefix } from './run-command.ts'

/** Message inside `ReceiveDto` to an agent: whether a remote-control session is recorded, for the line on the screen. */
export const recordingNoticeType = `${reservedPrefix}recording`

export const RecordingNotice = z.object({ sessionId: id, isRecorded: z.boolean() })
export type RecordingNotice = z.output<typeof RecordingNotice>
