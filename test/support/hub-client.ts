import {
  HttpTransportType,
  HubConnectionBuilder,
  JsonHubProtocol,
  LogLevel,
  type HubConnection,
  type IHttpConnectionOptions,
} from '@microsoft/signalr'
import { MessagePackHubProtocol } from '@microsoft/signalr-protocol-msgpack'
import { onTestFinished } from 'vitest'
import { handleHub, hubMethods, type HubClientHandlers, type HubServerMethods } from '../../shared/contract/hub.ts'
import type { ChatResponseHubDto } from '../../shared/dtos/chat.ts'
import type { ToastInfo } from '../../shared/dtos/device-commands.ts'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import type { ServerStatsDto } from '../../shared/dtos/server-stats.ts'
import type { TerminalOutputDto } from '../../shared/dtos/terminal.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import type { Visitor } from './server.ts'

export interface HubOptions extends IHttpConnectionOptions {
  protocol?: 'json' | 'messagepack'
  /** Opened outside of a test; closed with its server instead of the test. */
  isShared?: boolean
}

/** Creates a connection of the official client, closed with the test; the caller starts it. */
export function hubConnection(
  url: string,
  { protocol = 'json', isShared = false, ...options }: HubOptions = {},
): HubConnection {
  const connection = new HubConnectionBuilder()
    .withUrl(url, options)
    .withHubProtocol(protocol === 'json' ? new JsonHubProtocol() : new MessagePackHubProtocol())
    .configureLogging(LogLevel.None)
    .build()
  if (!isShared) {
    onTestFinished(() => connection.stop())
  }
  return connection
}

export const webSocketsOnly = { transport: HttpTransportType.WebSockets, skipNegotiation: true } as const

export interface Viewer extends HubServerMethods<typeof viewerHub> {
  connection: HubConnection
  devices: DeviceResponseDto[]
  outputs: TerminalOutputDto[]
  /** Times of the messages. */
  rightsChanges: number[]
  /** Times of the messages. */
  alertsChanges: number[]
  stats: ServerStatsDto[]
  chats: ChatResponseHubDto[]
  toasts: ToastInfo[]
  /** Resolves when the server has closed the connection. */
  closed: Promise<void>
}

/** Connects a page to the viewer hub, and collects the server's pushes. */
export async function connectViewer(visitor: Visitor, options: HubOptions = {}): Promise<Viewer> {
  const headers = { ...visitor.headers, ...options.headers }
  const connection = hubConnection(`${visitor.url}/hubs/viewer`, { ...options, headers })
  const devices: DeviceResponseDto[] = []
  const outputs: TerminalOutputDto[] = []
  const rightsChanges: number[] = []
  const alertsChanges: number[] = []
  const stats: ServerStatsDto[] = []
  const chats: ChatResponseHubDto[] = []
  const toasts: ToastInfo[] = []
  const handlers: HubClientHandlers<typeof viewerHub> = {
    InvokeToast: (toast) => void toasts.push(toast),
    ReceiveAlertsChange: () => void alertsChanges.push(Date.now()),
    ReceiveChatResponse: (response) => chats.push(response) > 0,
    ReceiveDeviceUpdate: (device) => void devices.push(device),
    ReceiveRightsChange: () => void rightsChanges.push(Date.now()),
    ReceiveServerStats: (numbers) => void stats.push(numbers),
    ReceiveTerminalOutput: (output) => void outputs.push(output),
  }
  if (options.protocol !== 'messagepack') {
    handleHub(viewerHub, connection, handlers)
  }
  const closed = new Promise<void>((resolve) => connection.onclose(() => resolve()))
  await connection.start()
  return {
    ...hubMethods(viewerHub, connection),
    connection,
    devices,
    outputs,
    rightsChanges,
    alertsChanges,
    stats,
    chats,
    toasts,
    closed,
  }
}

/** Follows devices, and forgets their present states, which come at once. */
export async function follow(viewer: Viewer, deviceIds: string[]): Promise<void> {
  await viewer.SubscribeToDeviceHeartbeats2({ deviceIds })
  viewer.devices.length = 0
}
