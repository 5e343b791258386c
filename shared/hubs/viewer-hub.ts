import { z } from 'zod'
import type { DevicePermission } from '../access.ts'
import { bytes, dto, id } from '../contract/fields.ts'
import { argument, defineHub } from '../contract/hub.ts'
import { ChatMessageHubDto, ChatResponseHubDto, CloseChatSessionRequestDto } from '../dtos/chat.ts'
import { DesktopSession, DesktopSessionType } from '../dtos/desktop-session.ts'
import {
  AddViewerActivityRequestDto,
  DeviceAccessPermissionsResult,
  GetDeviceAccessPermissionsRequestDto,
  StartDeviceAccessActivityRequestDto,
} from '../dtos/device-access.ts'
import {
  macAddresses,
  PowerStateChangeType,
  RefreshDeviceInfoRequestDto,
  SendAgentUpdateTriggerRequestDto,
  SendDtoToAgentRequestDto,
  SendPowerStateChangeRequestDto,
  SendWakeDeviceRequestDto,
  ToastInfo,
  UninstallAgentRequestDto,
  WakeDeviceResult,
} from '../dtos/device-commands.ts'
import { DeviceResponseDto } from '../dtos/device.ts'
import { FileUploadMetadata } from '../dtos/file-system.ts'
import { failure, failureOf, FollowResult, HubResult } from '../dtos/hub-result.ts'
import { PwshCompletionsRequestDto, PwshCompletionsResult } from '../dtos/pwsh-completions.ts'
import {
  ActiveDesktopSessionsResult,
  GetActiveDesktopSessionsRequestDto,
  InvokeCtrlAltDelViewerRequestDto,
  processId,
  RemoteControlSessionRequestDto,
  RequestRemoteControlPermissionRequestDto,
  tcpPort,
  TestVncConnectionRequestDto,
  VncSessionRequestDto,
} from '../dtos/remote-control.ts'
import { ServerStatsDto } from '../dtos/server-stats.ts'
import {
  CloseTerminalSessionRequestDto,
  CreateTerminalSessionRequestDto,
  SendTerminalInputRequestDto,
  TerminalInputDto,
  TerminalOutputDto,
  TerminalSessionResult,
} from '../dtos/terminal.ts'

/** The first argument is the device id, or a DTO that contains it. */
const onDevice = <const P extends DevicePermission, const At extends 0 | 'deviceId'>(permission: P, at: At) =>
  ({ permission, on: 'device', at }) as const

const forbidden = 'Forbidden.'
/** The rejection in the encoding of a result. */
const refusalAs = (result: z.ZodObject) => ('value' in result.shape ? failureOf(forbidden) : failure(forbidden))

const deviceId = argument('deviceId', id)

/** A method with one DTO that contains the device id. */
const request = <const P extends DevicePermission, D extends z.ZodType, R extends z.ZodObject>(
  summary: string,
  permission: P,
  dto: D,
  returns: R,
) => ({
  summary,
  access: onDevice(permission, 'deviceId'),
  args: [dto] as const,
  returns,
  refused: refusalAs(returns),
})

/** A deprecated variant of a method: the device id, and the other values by position. */
const positional = <
  const P extends DevicePermission,
  const A extends readonly z.ZodType[],
  R extends z.ZodObject | z.ZodArray,
>(
  summary: string,
  permission: P,
  args: A,
  returns: R,
) => ({
  summary,
  access: onDevice(permission, 0),
  args: [deviceId, ...args] as const,
  returns,
  refused: returns instanceof z.ZodArray ? [] : refusalAs(returns as z.ZodObject),
})

/** A deprecated variant without a result. */
const silent = <const P extends DevicePermission, const A extends readonly z.ZodType[]>(
  summary: string,
  permission: P,
  args: A,
) => ({ summary, access: onDevice(permission, 0), args: [deviceId, ...args] as const, refused: null })

const terminalId = argument('terminalId', id)
const sessionId = argument('sessionId', id)
const targetProcessId = argument('targetProcessId', processId)
/** More ids than fit into one message: a call with too many is answered with their number. */
const followedIds = z.array(id).max(3000)

/** Description of each method, shared by both variants. */
const does = {
  activity: 'Notes a step of the viewer in the trace of its access to a device.',
  closeChat: 'Closes the chat window on the device.',
  closeTerminal: 'Ends a terminal.',
  createTerminal: 'Opens a terminal on a device; its output comes to this connection.',
  desktops: 'Lists the desktops of a device that the caller may use.',
  permissions: 'Tells what the caller may do on a device.',
  ctrlAltDel: 'Presses Ctrl+Alt+Del on the device.',
  refresh: 'Asks the agent for an update of the device now.',
  askPermission: 'Has the operating system of the device ask for the permission to be controlled.',
  remoteControl:
    'Has a desktop connect to the relay for remote control; the address is that of this server, for the device.',
  vnc: 'Has the agent connect a VNC server of its own machine to the relay.',
  update: 'Has the agent look for an update of itself now.',
  chat: 'Shows a message to the person at the device; answers come as `ReceiveChatResponse`.',
  power: 'Restarts the device or switches it off.',
  type: 'Types into a terminal; its output then comes to this connection.',
  wake: 'Has neighbors of the device send it a magic packet.',
  trace: 'Begins the trace of an access to a device.',
  follow:
    'Follows up to 100 devices: `ReceiveDeviceUpdate` comes once for each of them now, and whenever one changes. Names the devices that it skipped.',
  unfollow: 'Follows these devices no longer.',
  testVnc: 'Tells whether a VNC server answers on a port of the device.',
  uninstall: 'Removes the agent from the device.',
}

/** The hub of users and integrations. Positional variants are deprecated; variants ending in 2 take a request DTO. */
export const viewerHub = defineHub({
  path: '/hubs/viewer',
  access: 'authenticated',
  methods: {
    AddViewerActivity: {
      summary: does.activity,
      access: 'authenticated',
      args: [argument('activityName', AddViewerActivityRequestDto.shape.activityName)],
      returns: HubResult,
    },
    AddViewerActivity2: {
      summary: does.activity,
      access: 'authenticated',
      args: [AddViewerActivityRequestDto],
      returns: HubResult,
    },
    CloseChatSession: positional(does.closeChat, 'device.chat.send', [sessionId, targetProcessId], HubResult),
    CloseChatSession2: request(does.closeChat, 'device.chat.send', CloseChatSessionRequestDto, HubResult),
    CloseTerminalSession: silent(does.closeTerminal, 'device.terminal.use', [terminalId]),
    CloseTerminalSession2: request(
      does.closeTerminal,
      'device.terminal.use',
      CloseTerminalSessionRequestDto,
      HubResult,
    ),
    CreateTerminalSession: positional(does.createTerminal, 'device.terminal.use', [terminalId], TerminalSessionResult),
    CreateTerminalSession2: request(
      does.createTerminal,
      'device.terminal.use',
      CreateTerminalSessionRequestDto,
      TerminalSessionResult,
    ),
    DisposeDeviceAccessActivity: {
      summary: 'Ends the trace of an access to a device.',
      access: 'authenticated',
      args: [],
      returns: HubResult,
    },
    GetActiveDesktopSessions: positional(does.desktops, 'device.remote-control.connect', [], z.array(DesktopSession)),
    GetActiveDesktopSessions2: request(
      does.desktops,
      'device.remote-control.connect',
      GetActiveDesktopSessionsRequestDto,
      ActiveDesktopSessionsResult,
    ),
    GetDeviceAccessPermissions: positional(does.permissions, 'device.read', [], DeviceAccessPermissionsResult),
    GetDeviceAccessPermissions2: request(
      does.permissions,
      'device.read',
      GetDeviceAccessPermissionsRequestDto,
      DeviceAccessPermissionsResult,
    ),
    GetPwshCompletions: request(
      'Completes a line of PowerShell, as the Tab key does.',
      'device.terminal.use',
      PwshCompletionsRequestDto,
      PwshCompletionsResult,
    ),
    InvokeCtrlAltDel: positional(
      does.ctrlAltDel,
      'device.ctrl-alt-del.send',
      [argument('targetDesktopProcessId', processId), argument('desktopSessionType', DesktopSessionType)],
      HubResult,
    ),
    InvokeCtrlAltDel2: request(
      does.ctrlAltDel,
      'device.ctrl-alt-del.send',
      InvokeCtrlAltDelViewerRequestDto,
      HubResult,
    ),
    RefreshDeviceInfo: silent(does.refresh, 'device.read', []),
    RefreshDeviceInfo2: request(does.refresh, 'device.read', RefreshDeviceInfoRequestDto, HubResult),
    RequestRemoteControlPermission: positional(
      does.askPermission,
      'device.remote-control.connect',
      [targetProcessId],
      HubResult,
    ),
    RequestRemoteControlPermission2: request(
      does.askPermission,
      'device.remote-control.connect',
      RequestRemoteControlPermissionRequestDto,
      HubResult,
    ),
    RequestRemoteControlSession: positional(
      does.remoteControl,
      'device.remote-control.connect',
      [RemoteControlSessionRequestDto],
      HubResult,
    ),
    RequestRemoteControlSession2: request(
      does.remoteControl,
      'device.remote-control.connect',
      RemoteControlSessionRequestDto,
      HubResult,
    ),
    RequestVncSession: positional(does.vnc, 'device.vnc-relay.connect', [VncSessionRequestDto], HubResult),
    RequestVncSession2: request(does.vnc, 'device.vnc-relay.connect', VncSessionRequestDto, HubResult),
    SendAgentUpdateTrigger: silent(does.update, 'device.agent.update', []),
    SendAgentUpdateTrigger2: request(does.update, 'device.agent.update', SendAgentUpdateTriggerRequestDto, HubResult),
    SendChatMessage: positional(does.chat, 'device.chat.send', [ChatMessageHubDto], HubResult),
    SendChatMessage2: request(does.chat, 'device.chat.send', ChatMessageHubDto, HubResult),
    SendDtoToAgent: {
      ...request(
        'Sends a message to programs on the device. Older clients send `deviceId` and `wrapper` as two arguments.',
        'device.read',
        SendDtoToAgentRequestDto,
        HubResult,
      ),
      positional: ['deviceId', 'wrapper'],
    },
    SendPowerStateChange: silent(does.power, 'device.power.manage', [argument('changeType', PowerStateChangeType)]),
    SendPowerStateChange2: request(does.power, 'device.power.manage', SendPowerStateChangeRequestDto, HubResult),
    SendTerminalInput: positional(does.type, 'device.terminal.use', [TerminalInputDto], TerminalSessionResult),
    SendTerminalInput2: request(does.type, 'device.terminal.use', SendTerminalInputRequestDto, TerminalSessionResult),
    SendWakeDevice: positional(
      does.wake,
      'device.wake.send',
      [argument('macAddresses', macAddresses)],
      WakeDeviceResult,
    ),
    SendWakeDevice2: request(does.wake, 'device.wake.send', SendWakeDeviceRequestDto, WakeDeviceResult),
    StartDeviceAccessActivity: positional(does.trace, 'device.read', [], HubResult),
    StartDeviceAccessActivity2: request(does.trace, 'device.read', StartDeviceAccessActivityRequestDto, HubResult),
    SubscribeToDeviceHeartbeats: {
      summary: does.follow,
      access: { scope: 'device.read' },
      args: [argument('deviceIds', followedIds)],
      returns: FollowResult,
    },
    SubscribeToDeviceHeartbeats2: {
      summary: does.follow,
      access: { scope: 'device.read' },
      args: [dto('SubscribeToDeviceHeartbeatsRequestDto', { deviceIds: followedIds })],
      returns: FollowResult,
    },
    TestVncConnection: positional(does.testVnc, 'device.vnc-relay.connect', [argument('port', tcpPort)], HubResult),
    TestVncConnection2: request(does.testVnc, 'device.vnc-relay.connect', TestVncConnectionRequestDto, HubResult),
    UninstallAgent: silent(does.uninstall, 'device.delete', [
      argument('reason', UninstallAgentRequestDto.shape.reason),
    ]),
    UninstallAgent2: request(does.uninstall, 'device.delete', UninstallAgentRequestDto, HubResult),
    UnsubscribeFromDeviceHeartbeats: {
      summary: does.unfollow,
      access: 'authenticated',
      args: [argument('deviceIds', followedIds)],
    },
    UnsubscribeFromDeviceHeartbeats2: {
      summary: does.unfollow,
      access: 'authenticated',
      args: [dto('UnsubscribeFromDeviceHeartbeatsRequestDto', { deviceIds: followedIds })],
      returns: HubResult,
    },
    UploadFile: {
      ...request('Sends a file to the device.', 'device.file-system.transfer-upload', FileUploadMetadata, HubResult),
      upload: bytes,
    },
  },
  client: {
    InvokeToast: { summary: 'Shows a short message for a while.', args: [ToastInfo] },
    ReceiveAlertsChange: {
      summary:
        'Alerts, their rules or watched devices of the organization have changed: read them again. At most once a second.',
      args: [],
    },
    ReceiveChatResponse: {
      summary: 'An answer of the person at the device; true tells the device that it was shown.',
      args: [ChatResponseHubDto],
      returns: z.boolean(),
    },
    ReceiveDeviceUpdate: {
      summary: 'A device that this connection follows reported, changed, came online or went.',
      args: [DeviceResponseDto],
    },
    ReceiveRightsChange: {
      summary:
        'The rights of this connection have changed, or a device that it follows was moved or deleted: read permissions and devices again.',
      args: [],
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
