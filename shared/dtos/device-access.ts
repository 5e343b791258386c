import { z } from 'zod'
import type { DevicePermission } from '../access.ts'
import { dto, id } from '../contract/fields.ts'
import { hubResultOf } from './hub-result.ts'

export const AddViewerActivityRequestDto = dto('AddViewerActivityRequestDto', { activityName: z.string().max(200) })
export const StartDeviceAccessActivityRequestDto = dto('StartDeviceAccessActivityRequestDto', { deviceId: id })
export const GetDeviceAccessPermissionsRequestDto = dto('GetDeviceAccessPermissionsRequestDto', { deviceId: id })

/** Rights of a principal on a device, as its page requests them, with the permission behind each. */
export const accessPermissions = {
  canViewOverview: 'device.overview.read',
  canUseRemoteControl: 'device.remote-control.connect',
  canUseTerminal: 'device.terminal.use',
  canUseChat: 'device.chat.send',
  canReadFileSystem: 'device.file-system.read',
  canReadLogs: 'device.logs.read',
  canUseVncRelay: 'device.vnc-relay.connect',
  canInteractWithRemoteControl: 'device.remote-control.interact',
  canBlockRemoteInput: 'device.remote-control.block-input',
  canReadClipboard: 'device.clipboard.read',
  canWriteClipboard: 'device.clipboard.write',
  canSendCtrlAltDel: 'device.ctrl-alt-del.send',
} as const satisfies Record<string, DevicePermission>

const flags = Object.fromEntries(Object.keys(accessPermissions).map((name) => [name, z.boolean()])) as Record<
  keyof typeof accessPermissions,
  z.ZodBoolean
>
export const DeviceAccessPermissionsDto = dto('DeviceAccessPermissionsDto', flags)
export type DeviceAccessPermissionsDto = z.output<typeof DeviceAccessPermissionsDto>
export const DeviceAccessPermissionsResult = hubResultOf(DeviceAccessPermissionsDto)
