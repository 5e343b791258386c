import { z } from 'zod'
import type { DevicePermission } from '../access.ts'
import { id } from '../contract/fields.ts'
import { argument, defineHub } from '../contract/hub.ts'
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
const deviceId = argument('deviceId', id)
const terminalId = argument('terminalId', id)
/** More than fit into one message: a call with too many is answered with their number. */
const followedIds = z.array(id).max(3000)
const deviceIds = argument('deviceIds', followedIds)
const deviceIdsDto = argument('devices', z.object({ deviceIds: followedIds }))

/** The hub of people and integrations. Positional forms are obsolete; the forms ending in 2 take a request DTO. */
export const viewerHub = defineHub({
  path: '/hubs/viewer',
  access: 'authenticated',
  methods: {
    CreateTerminalSession: {
      summary: 'Opens a terminal on a device; its output comes to this connection.',
      access: onDevice('device.terminal.use', 0),
      args: [deviceId, terminalId],
      returns: TerminalSessionResult,
      refused: forbidden,
    },
    CreateTerminalSession2: {
      summary: 'Opens a terminal on a device; its output comes to this connection.',
      access: onDevice('device.terminal.use', 'deviceId'),
      args: [CreateTerminalSessionRequestDto],
      returns: TerminalSessionResult,
      refused: forbidden,
    },
    SendTerminalInput: {
      summary: 'Types into a terminal; its output then comes to this connection.',
      access: onDevice('device.terminal.use', 0),
      args: [deviceId, TerminalInputDto],
      returns: TerminalSessionResult,
      refused: forbidden,
    },
    SendTerminalInput2: {
      summary: 'Types into a terminal; its output then comes to this connection.',
      access: onDevice('device.terminal.use', 'deviceId'),
      args: [SendTerminalInputRequestDto],
      returns: TerminalSessionResult,
      refused: forbidden,
    },
    CloseTerminalSession: {
      summary: 'Ends a terminal.',
      access: onDevice('device.terminal.use', 0),
      args: [deviceId, terminalId],
      refused: null,
    },
    CloseTerminalSession2: {
      summary: 'Ends a terminal.',
      access: onDevice('device.terminal.use', 'deviceId'),
      args: [CloseTerminalSessionRequestDto],
      returns: HubResult,
      refused: forbidden,
    },
    RefreshDeviceInfo: {
      summary: 'Asks the agent for an update of the device now.',
      access: onDevice('device.read', 0),
      args: [deviceId],
      refused: null,
    },
    RefreshDeviceInfo2: {
      summary: 'Asks the agent for an update of the device now.',
      access: onDevice('device.read', 'deviceId'),
      args: [z.object({ deviceId: id }).meta({ id: 'RefreshDeviceInfoRequestDto' })],
      returns: HubResult,
      refused: forbidden,
    },
    SubscribeToDeviceHeartbeats: {
      summary: 'Follows up to 100 devices: `ReceiveDeviceUpdate` comes whenever one of them changes.',
      access: { scope: 'device.read' },
      args: [deviceIds],
      returns: HubResult,
    },
    SubscribeToDeviceHeartbeats2: {
      summary: 'Follows up to 100 devices: `ReceiveDeviceUpdate` comes whenever one of them changes.',
      access: { scope: 'device.read' },
      args: [deviceIdsDto],
      returns: HubResult,
    },
    UnsubscribeFromDeviceHeartbeats: {
      summary: 'Follows these devices no longer.',
      access: 'authenticated',
      args: [deviceIds],
    },
    UnsubscribeFromDeviceHeartbeats2: {
      summary: 'Follows these devices no longer.',
      access: 'authenticated',
      args: [deviceIdsDto],
      returns: HubResult,
    },
  },
  client: {
    ReceiveDeviceUpdate: {
      summary: 'A device that this connection follows reported, changed, came online or went.',
      args: [DeviceResponseDto],
    },
    ReceiveServerStats: {
      summary:
        'Counts of the server, for those with `server.telemetry.read`; at most every two seconds, when they change.',
      args: [ServerStatsDto],
    },
    ReceiveTerminalOutput: {
      summary: 'Output of a terminal that this connection has open.',
      args: [TerminalOutputDto],
    },
  },
})
