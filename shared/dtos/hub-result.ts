import { z } from 'zod'

/** Outcome of a hub call. A failure always carries a reason: clients throw while reading one without. */
export const HubResult = z
  .object({
    isSuccess: z.boolean(),
    reason: z.string().nullable().default(null),
    errorCode: z.string().nullable().default(null),
  })
  .meta({ id: 'HubResult' })
export type HubResult = z.infer<typeof HubResult>

/** The same with a value, present when the call succeeded. */
export const hubResultOf = <T extends z.ZodType>(value: T) => HubResult.extend({ value: value.nullable() })

/** The reason of every call that needs an agent which is not there. */
export const deviceNotConnected = 'Device is not currently connected.'

/** The reason of an input for a terminal that is not there: it is not kept for a later one. */
export const terminalNotOpen = 'This terminal is not open. Open a new one.'

export const success: HubResult = { isSuccess: true, reason: null, errorCode: null }
export const successOf = <T>(value: T) => ({ ...success, value })
export const failure = (reason: string): HubResult => ({ isSuccess: false, reason, errorCode: null })
export const failureOf = (reason: string) => ({ ...failure(reason), value: null })
