import { z } from 'zod'
import type { DevicePermission } from '../access.ts'
import { dateTime, dto, id, ownId } from '../contract/fields.ts'
import { deviceId } from './references.ts'

/** Kinds of sessions between a principal and a device, with the permission each requires. */
export const sessionPermissions = {
  'remote-control': 'device.remote-control.connect',
  vnc: 'device.vnc-relay.connect',
  terminal: 'device.terminal.use',
  command: 'device.terminal.use',
  chat: 'device.chat.send',
  upload: 'device.file-system.transfer-upload',
  download: 'device.file-system.transfer-download',
  logs: 'device.logs.read',
  preview: 'device.desktop-preview.read',
} as const satisfies Record<string, DevicePermission>
export type RemoteSessionKind = keyof typeof sessionPermissions

const kinds = Object.keys(sessionPermissions) as [RemoteSessionKind, ...RemoteSessionKind[]]
const bytes = z.number().int().min(0)

export const RemoteSessionDto = dto('RemoteSessionDto', {
  id: ownId,
  kind: z.enum(kinds).describe('Kind of the session between the principal and the device.'),
  deviceId,
  deviceName: z.string().describe('Alias of the device, else the name that its agent reports.'),
  principalKind: z.enum(['User', 'ServiceAccount']).describe('Kind of `principalId`.'),
  principalId: id.describe('User or service account that opened the session.'),
  principalName: z.string().describe('Display name of the principal at that moment.'),
  startedAt: dateTime.describe('When the session was opened.'),
  isConnected: z.boolean().describe('False while one of both ends is waited for.'),
  canInteract: z
    .boolean()
    .optional()
    .describe('Of remote control: whether it may use pointer and keyboard; otherwise it only looks.'),
  bytesToDevice: bytes.describe('Payload bytes sent to the device so far.'),
  bytesFromDevice: bytes.describe('Payload bytes received from the device so far.'),
  canEnd: z.boolean().describe('Whether the caller may end it.'),
  shareId: id.optional().describe('Share of the device through which the principal came.'),
})
export type RemoteSessionDto = z.output<typeof RemoteSessionDto>
