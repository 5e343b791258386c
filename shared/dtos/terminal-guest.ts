import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { reservedPrefix } from './run-command.ts'

/** Message inside `ReceiveDto` to an agent: a guest joined or left a terminal, for the list of visits. */
export const terminalGuestType = `${reservedPrefix}terminal-guest`

export const TerminalGuest = z.object({
  terminalId: id,
  /** Connection of the guest. */
  guestId: z.string().max(200),
  guestName: z.string(),
  organizationName: z.string().optional(),
  isHere: z.boolean(),
  hasTyped: z.boolean(),
})
export type TerminalGuest = z.output<typeof TerminalGuest>
