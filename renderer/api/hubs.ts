import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import { handleHub, hubMethods } from '../../shared/contract/hub.ts'
import type { ChatResponseHubDto } from '../../shared/dtos/chat.ts'
import type { ToastInfo } from '../../shared/dtos/device-commands.ts'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import type { TerminalOutputDto } from '../../shared/dtos/terminal.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import { connectLimits } from './connect-limits.ts'
import { createEvent } from './event.ts'
import { api } from './http.ts'
import { pageHeaders, pageSocketProtocols } from './page-key.ts'

/** State of this tab's one connection to the viewer hub. */
export interface LiveState {
  state: 'off' | 'connecting' | 'live' | 'reconnecting'
  /** When the state began, in ms since the epoch. */
  since: number
  /** When the next try to connect begins, in ms since the epoch; undefined while one runs or none is needed. */
  nextTryAt?: number
}

const retryDelaysMs = [0, 1_000, 2_000, 5_000]
const lastRetryDelayMs = 10_000
/** A network that swallows everything says nothing for minutes: then the attempt is over, and the page says so. */
const attemptMs = 10_000

// The channel only reports that it is lost; a request tells whether the session is gone too (api/http.ts acts on it).
const checkSession = () => void api.auth.me({}).catch(() => {})

// Without the reconnecting of SignalR's own: it cannot be asked for a try now.
const connection = new HubConnectionBuilder()
  // Server-sent events have no header and no subprotocol for the page key.
  .withUrl(viewerHub.path, {
    ...connectLimits(attemptMs, pageSocketProtocols),
    headers: pageHeaders,
    transport: HttpTransportType.WebSockets | HttpTransportType.LongPolling,
  })
  .configureLogging(LogLevel.None)
  .build()

/** The methods of the viewer hub. They reject while the channel is not live. */
export const viewer = hubMethods(viewerHub, connection)

const deviceUpdates = createEvent<DeviceResponseDto>()
const terminalOutputs = createEvent<TerminalOutputDto>()
const toasts = createEvent<ToastInfo>()
const states = createEvent<LiveState>()

export const onDeviceUpdate = deviceUpdates.on
export const onTerminalOutput = terminalOutputs.on
export const onToast = toasts.on
export const onLiveState = states.on

let keepChatResponse = (_: ChatResponseHubDto) => false

/** Called with each answer of a person at a device; it tells whether it was kept. */
export const onChatResponse = (handler: (response: ChatResponseHubDto) => boolean) => {
  keepChatResponse = handler
}

handleHub(viewerHub, connection, {
  InvokeToast: toasts.emit,
  ReceiveChatResponse: (response) => keepChatResponse(response),
  ReceiveDeviceUpdate: deviceUpdates.emit,
  ReceiveTerminalOutput: terminalOutputs.emit,
})

let live: LiveState = { state: 'off', since: Date.now() }
export const liveState = () => live

function enter(state: LiveState['state'], nextTryAt?: number) {
  const since = state === live.state ? live.since : Date.now()
  if (state !== live.state || nextTryAt !== live.nextTryAt) {
    live = { state, since, nextTryAt }
    states.emit(live)
  }
}

let isWanted = false
let retryTimer: ReturnType<typeof setTimeout> | undefined
let failures = 0

async function start() {
  try {
    await connection.start()
    failures = 0
    enter('live')
  } catch {
    if (isWanted) {
      checkSession()
      scheduleStart(++failures)
    }
  }
}

function scheduleStart(attempt: number) {
  const delayMs = retryDelaysMs[attempt] ?? lastRetryDelayMs
  enter('reconnecting', Date.now() + delayMs)
  retryTimer = setTimeout(tryNow, delayMs)
}

function tryNow() {
  clearTimeout(retryTimer)
  enter('reconnecting')
  void start()
}

connection.onclose(() => {
  if (isWanted) {
    scheduleStart(0)
  }
})

/** Ends the wait for the next try. */
export function retryConnection() {
  if (live.nextTryAt !== undefined) {
    tryNow()
  }
}
addEventListener('online', retryConnection)

/** Opens the channel and keeps it open until `disconnect`. */
export function connect() {
  if (!isWanted) {
    isWanted = true
    enter('connecting')
    void start()
  }
}

export async function disconnect() {
  isWanted = false
  failures = 0
  clearTimeout(retryTimer)
  enter('off')
  await connection.stop()
}
