import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { reservedPrefix } from './run-command.ts'

/** Message inside `ReceiveDto` to an agent whose identity another machine keeps: enroll as a new device. */
export const enrollAnewType = `${reservedPrefix}enroll-anew`

export const EnrollAnew = z.object({ installerKeyId: id, installerKeySecret: z.string().max(200) })
export type EnrollAnew = z.output<typeof EnrollAnew>
