import { z } from 'zod'
import type { DevicePermission } from '../access.ts'
import { dateTime, id } from '../contract/fields.ts'

/** What goes on between somebody and a device, and the permission that it lives by. */
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

export const RemoteSessionDto = z
  .object({
    id,
    kind: z.enum(kinds),
    deviceId: id,
    deviceName: z.string(),
    principalKind: z.enum(['User', 'ServiceAccount']),
    principalId: id,
    principalName: z.string(),
    startedAt: dateTime,
    isConnected: z.boolean().meta({ description: 'False while one of both ends is waited for.' }),
    canInteract: z
      .boolean()
      .optional()
      .meta({ description: 'Of remote control: whether it may use pointer and keyboard; otherwise it only looks.' }),
    bytesToDevice: bytes,
    bytesFromDevice: bytes,
    canEnd: z.boolean().meta({ description: 'Whether the caller may end it.' }),
  })
  .meta({ id: 'RemoteSessionDto' })
export type RemoteSessionDto = z.output<typeof RemoteSessionDto>
