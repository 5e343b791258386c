import { z } from 'zod'
import { dateTime, dto, id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { LogonTokenOptions } from '../dtos/logon-token.ts'
import { deviceId } from '../dtos/references.ts'
import { maxGuestInput } from '../dtos/terminal.ts'

/** Links of one terminal that work at the same time. */
export const maxTerminalShares = 10

const canType = z.boolean().describe('Whether the guest may type; otherwise the guest only watches.')
const terminalId = id.describe('The terminal, by the `id` of `GET /api/appliance/v1/devices/:deviceId/terminals`.')
const ofTerminal = z.object({ deviceId, terminalId })

export const TerminalShareDto = dto('TerminalShareDto', {
  id: id.describe('The link.'),
  forName: z.string().describe('Guest whom the link is for.'),
  canType,
  isHere: z.boolean().describe('Whether the guest sees the terminal now.'),
  expiresAt: dateTime.describe('When the link, and the visit that it opened, ends.'),
  openedAt: dateTime.nullable().describe('When the link was opened; null: not yet.'),
})
export type TerminalShareDto = z.output<typeof TerminalShareDto>

export const SharedTerminalDto = dto('SharedTerminalDto', {
  deviceId,
  terminalId,
  deviceName: z.string().describe('Alias of the device, else the name that its agent reports.'),
  byName: z.string().nullable().describe('Person or program that shares the terminal.'),
  canType,
  isOnline: z.boolean().describe('Whether the agent of the device is connected.'),
  expiresAt: dateTime.describe('When the visit ends.'),
})
export type SharedTerminalDto = z.output<typeof SharedTerminalDto>

const notTheirs = 'The terminal has ended, or belongs to somebody else.'

const notOpen = 'The caller came by no such link, or the sharing has ended.'
const connectionId = z
  .string()
  .max(100)
  .describe('Connection of the caller to `/hubs/viewer`, which shows the terminal.')

/** Links by which the owner of a terminal lets guests watch it or type. */
export const applianceTerminalShares = defineRoutes('TerminalShares', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/terminals/:terminalId/shares',
    summary: 'Links of a terminal of the caller that have not ended, oldest first',
    problems: { 404: notTheirs },
    access: { permission: 'device.terminal.use', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: ofTerminal,
    response: dto('TerminalShareListDto', {
      items: z.array(TerminalShareDto).describe(`At most ${maxTerminalShares}; not paged.`),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/appliance/v1/devices/:deviceId/terminals/:terminalId/shares',
    summary: 'Share a terminal of the caller with one guest, by a link',
    description:
      'The guest gets this one terminal and no permission on the device. The link works once, while the caller holds `device.logon-token.create` and `device.terminal.use` on the device, and until the terminal ends. Ended with `DELETE /api/appliance/v1/shares/:shareId`.',
    problems: { 404: notTheirs, 409: `The terminal has ${maxTerminalShares} links, or cannot be shared.` },
    access: { permission: 'device.logon-token.create', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: ofTerminal,
    body: dto('ShareTerminalDto', {
      guestName: z.string().trim().min(1).max(50).describe('Shown to the person at the device, and in all logs.'),
      canType,
      expirationMinutes: LogonTokenOptions.shape.expirationMinutes,
    }),
    response: dto('SharedTerminalLinkDto', {
      share: TerminalShareDto.describe('The link that was made.'),
      url: z.string().describe('Opens the terminal in a browser, once. Shown in this answer only.'),
    }),
  },
  change: {
    method: 'PUT',
    path: '/api/appliance/v1/devices/:deviceId/terminals/:terminalId/shares/:shareId',
    summary: 'Let the guest of a link type, or only watch, from now on',
    problems: { 404: notTheirs },
    access: { permission: 'device.terminal.use', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: ofTerminal.extend({ shareId: id.describe('The link, by its `id`.') }),
    body: dto('ChangeTerminalShareDto', { canType }),
  },
  own: {
    method: 'GET',
    path: '/api/appliance/v1/shared-terminal',
    summary: 'The terminal that the link of the caller opens',
    problems: { 404: notOpen },
    access: 'authenticated',
    tenant: 'none',
    response: SharedTerminalDto,
  },
  join: {
    method: 'POST',
    path: '/api/appliance/v1/shared-terminal/viewers',
    summary: 'Show the terminal that the link of the caller opens on one of its connections',
    description:
      'The output comes as `ReceiveTerminalOutput` of `/hubs/viewer`, the recent one first. Answered after the person at the device, where that person is asked.',
    problems: { 404: notOpen, 409: 'The terminal cannot be shown: the detail says why.' },
    access: 'authenticated',
    tenant: 'none',
    body: dto('JoinSharedTerminalDto', { connectionId }),
  },
  type: {
    method: 'POST',
    path: '/api/appliance/v1/shared-terminal/input',
    summary: 'Type into the terminal that the link of the caller opens',
    description: 'Send the next input after the answer, so that the order is kept.',
    problems: { 404: notOpen, 409: 'The input did not reach the terminal: the detail says why.' },
    access: 'authenticated',
    tenant: 'none',
    body: dto('SharedTerminalInputDto', {
      connectionId,
      input: z.string().max(maxGuestInput).describe('Characters as a keyboard sends them.'),
    }),
  },
})
