import { randomUUID } from 'node:crypto'
import { makeTicket } from '../../../tools/simulate/relay-ticket.ts'
import type { DevicePermission } from '../../../shared/access.ts'
import { success, successOf } from '../../../shared/dtos/hub-result.ts'
import type { Viewer } from '../../support/hub-client.ts'
import { desktop } from '../../support/recording-agent.ts'

interface Stage {
  url: string
  agent: { readonly id: string }
  /** Device without an agent, named by a DTO member that the obsolete form's argument overrides. */
  offlineId: string
  /** Name of the caller. */
  caller: string
  /** Name of the device's organization. */
  organization: string
  callerId: string
}

const ids = { terminalId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', sessionId: '3f2504e0-4f89-41d3-9a0c-0305e82c3302' }
const timestamp = '2026-01-02T03:04:05.678+00:00'
const forged = { viewerConnectionId: 'forged', viewerName: 'root', notifyUserOnSessionStart: true }

export interface Row {
  permission: DevicePermission
  /** Opens what the call needs at the device. */
  prepare?(viewer: Viewer, deviceId: string): Promise<unknown>
  /** Arguments after the device id in the obsolete form; undefined for methods without that form. */
  positional?: () => unknown[]
  /** Members of the DTO besides the device id. */
  dto(): object
  /** Expected call of the agent, given the sent DTO and the viewer. */
  agent?: { method: string; args(sent: { dto: never; viewer: Viewer }): unknown[] }
  /** Result of the obsolete form; by default the same. */
  old?: 'nothing' | 'bare list'
  answer?: object
}

const completion = { completionText: 'Get-ChildItem', listItemText: 'Get-ChildItem', matchType: 2, toolTip: '' }
const completions = {
  replacementIndex: 0,
  replacementLength: 5,
  completionMatches: [completion],
  hasMorePages: false,
  totalCount: 1,
  currentPage: 0,
}
const everything = {
  canInteract: false,
  canReadClipboard: false,
  canWriteClipboard: false,
  canBlockInput: false,
  canUseSecureDesktop: false,
  canHear: false,
}
export function viewerMethodRows(stage: Stage): Record<string, Row> {
  /** Fields of a session request that the server sets for the viewer. */
  const ownedByServer = (viewer: Viewer) => ({
    deviceId: stage.agent.id,
    viewerConnectionId: viewer.connection.connectionId,
    viewerName: stage.caller,
    organizationName: stage.organization,
    notifyUserOnSessionStart: true,
  })

  /** New address on each call, because a session id is valid once. */
  const relayed = () => {
    const { sessionId, responder: websocketUri } = makeTicket(stage.url)
    return { sessionId, websocketUri, ...forged, notifyUserOnSessionStart: false }
  }

  const rows: Record<string, Row> = {
    CloseChatSession: {
      permission: 'device.chat.send',
      positional: () => [ids.sessionId, 7],
      dto: () => ({ sessionId: ids.sessionId, targetProcessId: 7 }),
      agent: { method: 'CloseChatSession', args: () => [ids.sessionId, 7] },
    },
    CloseTerminalSession: {
      permission: 'device.terminal.use',
      positional: () => [ids.terminalId],
      dto: () => ({ terminalId: ids.terminalId }),
      agent: { method: 'CloseTerminalSession', args: () => [ids.terminalId] },
      old: 'nothing',
    },
    CreateTerminalSession: {
      permission: 'device.terminal.use',
      positional: () => [ids.terminalId],
      dto: () => ({ terminalId: ids.terminalId }),
      agent: {
        method: 'CreateTerminalSession',
        args: ({ viewer }) => [ids.terminalId, viewer.connection.connectionId],
      },
      answer: { ...success, isPty: true, shell: '/bin/bash' },
    },
    GetActiveDesktopSessions: {
      permission: 'device.remote-control.connect',
      positional: () => [],
      dto: () => ({}),
      agent: { method: 'GetActiveDesktopSessions', args: () => [] },
      old: 'bare list',
      answer: successOf({ sessions: [desktop(1), desktop(2)] }),
    },
    GetDeviceAccessPermissions: {
      permission: 'device.read',
      positional: () => [],
      dto: () => ({}),
      answer: successOf({
        canViewOverview: false,
        canUseRemoteControl: false,
        canUseTerminal: false,
        canUseChat: false,
        canReadFileSystem: false,
        canReadLogs: false,
        canUseVncRelay: false,
        canInteractWithRemoteControl: false,
        canBlockRemoteInput: false,
        canReadClipboard: false,
        canWriteClipboard: false,
        canSendCtrlAltDel: false,
      }),
    },
    GetPwshCompletions: {
      permission: 'device.terminal.use',
      prepare: (viewer, deviceId) => viewer.CreateTerminalSession2({ deviceId, terminalId: ids.terminalId }),
      dto: () => ({ terminalId: ids.terminalId, lastCompletionInput: 'Get-C', lastCursorIndex: 5, page: 2 }),
      agent: {
        method: 'GetPwshCompletions',
        args: ({ dto, viewer }) => [
          {
            ...(dto as object),
            deviceId: stage.agent.id,
            viewerConnectionId: viewer.connection.connectionId,
            forward: null,
            pageSize: 50,
          },
        ],
      },
      answer: successOf(completions),
    },
    InvokeCtrlAltDel: {
      permission: 'device.ctrl-alt-del.send',
      positional: () => [7, 1],
      dto: () => ({ targetDesktopProcessId: 7, desktopSessionType: 1 }),
      agent: {
        method: 'InvokeCtrlAltDel',
        args: () => [{ targetDesktopProcessId: 7, desktopSessionType: 1, invokerUserName: stage.caller }],
      },
    },
    RefreshDeviceInfo: {
      permission: 'device.read',
      positional: () => [],
      dto: () => ({}),
      agent: { method: 'RefreshDeviceInfo', args: () => [] },
      old: 'nothing',
    },
    RequestRemoteControlPermission: {
      permission: 'device.remote-control.connect',
      positional: () => [7],
      dto: () => ({ targetProcessId: 7 }),
      agent: { method: 'RequestRemoteControlPermission', args: () => [7] },
    },
    RequestRemoteControlSession: {
      permission: 'device.remote-control.connect',
      positional: () => [{ ...rows.RequestRemoteControlSession!.dto(), deviceId: stage.offlineId }],
      dto: () => ({
        ...relayed(),
        targetSystemSession: 1,
        targetProcessId: 4711,
        requireConsent: true,
        policy: {
          canInteract: true,
          canReadClipboard: true,
          canWriteClipboard: true,
          canBlockInput: true,
          canUseSecureDesktop: true,
          canHear: true,
        },
      }),
      agent: {
        method: 'CreateRemoteControlSession',
        args: ({ dto, viewer }) => [
          {
            ...(dto as object),
            ...ownedByServer(viewer),
            viewerPrincipalId: stage.callerId,
            viewerAccountId: stage.callerId,
            policy: everything,
            isRecorded: false,
          },
        ],
      },
    },
    RequestVncSession: {
      permission: 'device.vnc-relay.connect',
      positional: () => [{ ...rows.RequestVncSession!.dto(), deviceId: stage.offlineId }],
      dto: () => ({ ...relayed(), port: 5901 }),
      agent: {
        method: 'CreateVncSession',
        args: ({ dto, viewer }) => [
          {
            ...(dto as object),
            ...ownedByServer(viewer),
            viewerPrincipalId: stage.callerId,
            viewerAccountId: stage.callerId,
          },
        ],
      },
    },
    SendAgentUpdateTrigger: {
      permission: 'device.agent.update',
      positional: () => [],
      dto: () => ({}),
      agent: { method: 'ReceiveAgentUpdateTrigger', args: () => [] },
      old: 'nothing',
    },
    SendChatMessage: {
      permission: 'device.chat.send',
      positional: () => [{ ...rows.SendChatMessage!.dto(), deviceId: stage.offlineId }],
      dto: () => ({
        sessionId: randomUUID(),
        message: 'Grüße <b>',
        senderName: 'root',
        senderEmail: 'root@example.org',
        targetSystemSession: 1,
        targetProcessId: 4711,
        timestamp,
        viewerConnectionId: 'forged',
      }),
      agent: {
        method: 'SendChatMessage',
        args: ({ dto, viewer }) => [
          {
            ...(dto as object),
            deviceId: stage.agent.id,
            senderName: stage.caller,
            organizationName: stage.organization,
            senderEmail: stage.caller,
            viewerConnectionId: viewer.connection.connectionId,
          },
        ],
      },
    },
    SendDtoToAgent: {
      permission: 'device.read',
      dto: () => ({ wrapper: { dtoType: 'ClipboardText', payload: 'AAEC', sendTimestamp: 12 } }),
      agent: {
        method: 'ReceiveDto',
        args: () => [{ dtoType: 'ClipboardText', payload: 'AAEC', sendTimestamp: 12 }],
      },
    },
    SendPowerStateChange: {
      permission: 'device.power.manage',
      positional: () => [1],
      dto: () => ({ changeType: 1 }),
      agent: { method: 'ReceivePowerStateChange', args: () => [1] },
      old: 'nothing',
    },
    SendTerminalInput: {
      permission: 'device.terminal.use',
      positional: () => [{ terminalId: ids.terminalId, input: 'dir\n', viewerConnectionId: 'forged' }],
      dto: () => ({ input: { terminalId: ids.terminalId, input: 'dir\n', viewerConnectionId: 'forged' } }),
      agent: {
        method: 'ReceiveTerminalInput',
        args: ({ viewer }) => [
          { terminalId: ids.terminalId, input: 'dir\n', viewerConnectionId: viewer.connection.connectionId },
        ],
      },
    },
    SendWakeDevice: {
      permission: 'device.wake.send',
      positional: () => [['00:11:22:aa:bb:cc']],
      dto: () => ({ macAddresses: ['00:11:22:aa:bb:cc'] }),
      answer: successOf(
        'No online devices sharing public IP 127.0.0.1 were found. The target may need an online agent on the same network to be woken.',
      ),
    },
    StartDeviceAccessActivity: { permission: 'device.read', positional: () => [], dto: () => ({}) },
    TestVncConnection: {
      permission: 'device.vnc-relay.connect',
      positional: () => [5901],
      dto: () => ({ port: 5901 }),
      agent: { method: 'TestVncConnection', args: () => [5901] },
    },
    UninstallAgent: {
      permission: 'device.delete',
      positional: () => ['given away'],
      dto: () => ({ reason: 'given away' }),
      agent: { method: 'UninstallAgent', args: () => ['given away'] },
      old: 'nothing',
    },
  }
  return rows
}
