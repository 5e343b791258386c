import { z } from 'zod'
import { bytes, dto, id, nameEnum, numberEnum } from '../contract/fields.ts'
import { hubResultOf } from './hub-result.ts'

/** Commands of viewers to devices besides sessions: power, waking, agent, and messages to programs. */

const onDevice = (name: string) => dto(name, { deviceId: id })

export const RefreshDeviceInfoRequestDto = onDevice('RefreshDeviceInfoRequestDto')
export const SendAgentUpdateTriggerRequestDto = onDevice('SendAgentUpdateTriggerRequestDto')

export const PowerStateChangeType = numberEnum('PowerStateChangeType', { None: 0, Restart: 1, Shutdown: 2 })
export const SendPowerStateChangeRequestDto = dto('SendPowerStateChangeRequestDto', {
  deviceId: id,
  changeType: PowerStateChangeType,
})

/** MAC addresses in any notation; separators are ignored. */
export const macAddresses = z.array(z.string().max(32)).max(100)
export const SendWakeDeviceRequestDto = dto('SendWakeDeviceRequestDto', { deviceId: id, macAddresses })
export const WakeDeviceDto = dto(
  'WakeDeviceDto',
  { macAddresses: macAddresses.describe('12 hexadecimal digits each, without separators.') },
  { wire: 'array' },
)
export const WakeDeviceResult = hubResultOf(z.string().describe('Who sent the magic packet.'))

export const UninstallAgentRequestDto = dto('UninstallAgentRequestDto', {
  deviceId: id,
  reason: z.string().max(1000).default(''),
})

/** A message of a viewer to programs on the device, opaque to the server. */
export const DtoWrapper = dto('DtoWrapper', {
  dtoType: z.union([z.string().max(100), z.number().int()]),
  payload: bytes.describe('Base64; `bin` in MessagePack.'),
  sendTimestamp: z.number().default(0),
})
export const SendDtoToAgentRequestDto = dto('SendDtoToAgentRequestDto', { deviceId: id, wrapper: DtoWrapper })

export const MessageSeverity = numberEnum('MessageSeverity', { Information: 0, Warning: 1, Error: 2, Success: 3 })
export const ToastInfo = dto('ToastInfo', { message: z.string(), messageSeverity: MessageSeverity }, { wire: 'array' })
export type ToastInfo = z.output<typeof ToastInfo>

/** Reason of an agent's disconnect: service stopped, machine shut down or restarted, update, uninstalled. */
export const StopReason = nameEnum('StopReason', { Stopped: 0, Shutdown: 1, Restart: 2, Update: 3, Uninstall: 4 })
export type StopReason = z.output<typeof StopReason>
