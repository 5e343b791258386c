import { z } from 'zod'
import type { DevicePermission } from '../access.ts'
import { id } from '../contract/fields.ts'
import { defineHub } from '../contract/hub.ts'
import { DeviceResponseDto } from '../dtos/device.ts'
import { failure, HubResult } from '../dtos/hub-result.ts'
import { ServerStatsDto } from '../dtos/server-stats.ts'
import {
  CloseTerminalSessionRequestDto,
  CreateTerminalSessionRequestDto,
  SendTerminalInputRequestDto,
  TerminalInputDto,
  TerminalOutputDto,
  TerminalSessionResult,
} from '../dtos/terminal.ts'

/** The first argument is the device id, or a DTO that holds it. */
const onDevice = <const P extends DevicePermission>(permission: P, at: 0 | 'deviceId') =>
  ({ permission, on: 'device', at }) as const

const forbidden = failure('Forbidden.')
const deviceIds = z.array(id)
const deviceIdsDto = z.object({ deviceIds })

/** The hub of people and integrations. Positional forms are obsolete; the forms ending in 2 take a request DTO. */
export const viewerHub = defineHub({
  path: '/hubs/viewer',
  access: 'authenticated',
  methods: {
    CreateTerminalSession: {
      access: onDevice('device.terminal.use', 0),
      args: [id, id],
      returns: TerminalSessionResult,
      refused: forbidden,
    },
    CreateTerminalSession2: {
      access: onDevice('device.terminal.use', 'deviceId'),
      args: [CreateTerminalSessionRequestDto],
      returns: TerminalSessionResult,
      refused: forbidden,
    },
    SendTerminalInput: {
      access: onDevice('device.terminal.use', 0),
      args: [id, TerminalInputDto],
      returns: TerminalSessionResult,
      refused: forbidden,
    },
    SendTerminalInput2: {
      access: onDevice('device.terminal.use', 'deviceId'),
      args: [SendTerminalInputRequestDto],
      returns: TerminalSessionResult,
      refused: forbidden,
    },
    CloseTerminalSession: { access: onDevice('device.terminal.use', 0), args: [id, id], refused: null },
    CloseTerminalSession2: {
      access: onDevice('device.terminal.use', 'deviceId'),
      args: [CloseTerminalSessionRequestDto],
      returns: HubResult,
      refused: forbidden,
    },
    RefreshDeviceInfo: { access: onDevice('device.read', 0), args: [id], refused: null },
    RefreshDeviceInfo2: {
      access: onDevice('device.read', 'deviceId'),
      args: [z.object({ deviceId: id }).meta({ id: 'RefreshDeviceInfoRequestDto' })],
      returns: HubResult,
      refused: forbidden,
    },
    SubscribeToDeviceHeartbeats: { access: { scope: 'device.read' }, args: [deviceIds], returns: HubResult },
    SubscribeToDeviceHeartbeats2: { access: { scope: 'device.read' }, args: [deviceIdsDto], returns: HubResult },
    UnsubscribeFromDeviceHeartbeats: { access: 'authenticated', args: [deviceIds] },
    UnsubscribeFromDeviceHeartbeats2: { access: 'authenticated', args: [deviceIdsDto], returns: HubResult },
  },
  client: {
    ReceiveDeviceUpdate: { args: [DeviceResponseDto] },
    ReceiveServerStats: { args: [ServerStatsDto] },
    ReceiveTerminalOutput: { args: [TerminalOutputDto] },
  },
})
