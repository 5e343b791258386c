import { z } from 'zod'
import { dto, id } from '../contract/fields.ts'

/** Outcome of a hub call. A failure always has a reason: clients throw on a failure without one. */
export const HubResult = dto('HubResult', {
  isSuccess: z.boolean(),
  reason: z.string().nullable().default(null),
  errorCode: z.string().nullable().default(null),
})
export type HubResult = z.infer<typeof HubResult>

/** Outcome of following devices. */
export const FollowResult = HubResult.extend({
  /** Devices that do not exist or may not be read; absent if there are none. */
  skippedDeviceIds: z.array(id).optional(),
}).meta({ id: 'FollowResult' })
export type FollowResult = z.infer<typeof FollowResult>

/** Outcome with a value, present when the call succeeded; agents of others leave it out of a failure. */
export const hubResultOf = <T extends z.ZodType>(value: T) =>
  HubResult.extend({ value: value.nullable().default(null as never) })

/** Reason of every call that needs a disconnected agent. */
export const deviceNotConnected = 'Device is not currently connected.'

/** Error of a call whose device another server holds, while that server cannot be reached: it may have just died. */
export const serverNotReached = 'The server that holds this device cannot be reached. Try again.'

/** Reason for input to a closed terminal: the input is not queued for a later terminal. */
export const terminalNotOpen = 'This terminal is not open. Open a new one.'

export const success: HubResult = { isSuccess: true, reason: null, errorCode: null }
export const successOf = <T>(value: T) => ({ ...success, value })
export const failure = (reason: string): HubResult => ({ isSuccess: false, reason, errorCode: null })
export const failureOf = (reason: string) => ({ ...failure(reason), value: null })
