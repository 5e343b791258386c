import { z } from 'zod'
import { dto, id } from '../contract/fields.ts'

/**
 * Messages between this server and this product's agent inside `ReceiveDto`; agents of other makes ignore them. Only
 * the server sends types with this prefix: such messages of viewers are rejected.
 */
export const reservedPrefix = 'appliance.'
export const runCommandType = `${reservedPrefix}run-command`
export const endCommandType = `${reservedPrefix}end-command`

/** True for message types reserved for the server. */
export const isReservedDtoType = (dtoType: string | number): boolean =>
  String(dtoType).trim().toLowerCase().startsWith(reservedPrefix)

/** Runs a command without a terminal; the reply is the outcome. */
export const RunCommand = z.object({
  runId: id,
  command: z.string(),
  timeLimitSeconds: z.number().int().min(1).max(3_600),
  maxOutputBytes: z
    .number()
    .int()
    .min(0)
    .max(64 * 1024),
})
export type RunCommand = z.output<typeof RunCommand>

export const EndCommand = z.object({ runId: id })

/** Outcome of a command. */
export const CommandEndDto = dto('CommandEndDto', {
  endedBy: z.enum(['itself', 'time-limit', 'request']),
  exitCode: z.number().int().nullable().describe('Null when a signal ended it.'),
  output: z.string().describe('Its end, as far as it was kept.'),
  errorOutput: z.string(),
  isCut: z.boolean(),
})
export type CommandEndDto = z.output<typeof CommandEndDto>
