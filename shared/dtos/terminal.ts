import { z } from 'zod'
import { dateTime, dto, id, numberEnum, offsetDateTime, textOrNull } from '../contract/fields.ts'
import { HubResult } from './hub-result.ts'

export const TerminalOutputKind = numberEnum('TerminalOutputKind', { StandardOutput: 0, StandardError: 1 })

/** Size of a terminal in character cells. */
const cells = z.number().int().min(1).max(1000)

/**
 * Input for a terminal. For a line-based terminal, `input` is one command line. The optional members are for
 * pseudo-terminals; agents without pseudo-terminals ignore them (docs/decisions/terminals.md).
 */
export const TerminalInputDto = dto('TerminalInputDto', {
  terminalId: id,
  input: z.string(),
  viewerConnectionId: z.string().nullable().default(null),
  isRaw: z.boolean().optional().describe('`input` is keystrokes as typed, not a line.'),
  columns: cells.optional().describe('New width of the pseudo-terminal.'),
  rows: cells.optional().describe('New height of the pseudo-terminal.'),
  shell: z.string().max(1024).optional().describe('One of `shells`, to start in place of the program that runs.'),
  isAttach: z.boolean().optional().describe('Send the recent output again, to this viewer connection.'),
  isReport: z
    .boolean()
    .optional()
    .describe('`input` answers a query of a program: of several viewers, that of the one who typed last counts.'),
})
export type TerminalInputDto = z.output<typeof TerminalInputDto>

export const TerminalOutputDto = dto('TerminalOutputDto', {
  terminalId: id,
  output: z.string(),
  outputKind: TerminalOutputKind,
  timestamp: offsetDateTime,
  isExit: z.boolean().optional().describe('The shell of this terminal has ended.'),
  isReplay: z.boolean().optional().describe('Recent output, sent again for `isAttach`: start from a clear screen.'),
  isPast: z.boolean().optional().describe('Output that was sent before: its queries are not answered again.'),
  columns: cells.optional().describe('Width that another viewer has given the pseudo-terminal.'),
  rows: cells.optional().describe('Height that another viewer has given it.'),
  isSharingChanged: z
    .boolean()
    .optional()
    .describe('Who shares this terminal, or what a guest may do, has changed: read that again.'),
})
export type TerminalOutputDto = z.output<typeof TerminalOutputDto>

/** Result of opening or writing to a terminal; `isPty` reports a pseudo-terminal. */
export const TerminalSessionResult = HubResult.extend({
  isPty: z.boolean().optional(),
  shell: z.string().optional().describe('Program that runs in the terminal.'),
  shells: z.array(z.string()).max(100).optional().describe('Programs that could run in it.'),
}).meta({ id: 'TerminalSessionResult' })
export type TerminalSessionResult = z.output<typeof TerminalSessionResult>

/** Longest input of a guest in one call. */
export const maxGuestInput = 8192

/** A terminal whose shell runs, as its agent reports it on connecting. */
export const OpenTerminalDto = dto('OpenTerminalDto', {
  terminalId: id,
  shell: z.string().max(1024).describe('Program that runs in the terminal.'),
})
export type OpenTerminalDto = z.output<typeof OpenTerminalDto>

/** An open terminal of the caller. */
export const DeviceTerminalDto = dto('DeviceTerminalDto', {
  id: id.describe('Chosen by the viewer that opened the terminal; names it in all calls of the hub.'),
  shell: textOrNull.describe('Program that runs in the terminal, if the agent reported it.'),
  usedAt: dateTime.describe('Last call for it; after a restart of the server, the time of that.'),
})
export type DeviceTerminalDto = z.output<typeof DeviceTerminalDto>

export const CreateTerminalSessionRequestDto = dto('CreateTerminalSessionRequestDto', {
  deviceId: id,
  terminalId: id.optional(),
  terminalSessionId: id.optional(),
})

export const CloseTerminalSessionRequestDto = dto('CloseTerminalSessionRequestDto', {
  deviceId: id,
  terminalId: id.optional(),
  terminalSessionId: id.optional(),
})

export const SendTerminalInputRequestDto = dto('SendTerminalInputRequestDto', { deviceId: id, input: TerminalInputDto })
