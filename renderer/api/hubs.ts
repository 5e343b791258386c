import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import { handleHub, hubMethods } from '../../shared/contract/hub.ts'
import type { ChatResponseHubDto } from '../../shared/dtos/chat.ts'
import type { ToastInfo } from '../../shared/dtos/device-commands.ts'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import type { TerminalOutputDto } from '../../shared/dtos/terminal.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import { connectLimits } from './connect-limits.ts'
import { createEvent } from './create-event.ts'
import { api } from './http.ts'
import { pageHeaders, pageSocketProtocols } from './page-key.ts'

/** State of this tab's connection to the viewer hub. */
export interface LiveState {
  state: 'off' | 'connecting' | 'live' | 'reconnecting'
  /** Start of the state, in ms since the epoch. */
  since: number
  /** Start of the next attempt, in ms since the epoch; undefined while an attempt runs or none is needed. */
  nextTryAt?: number
}

const retryDelaysMs = [0, 1_000, 2_000, 5_000]
const lastRetryDelayMs = 10_000
/** Limit per attempt: on a network that drops packets the browser would wait for minutes. */
const attemptMs = 10_000

// A closed channel has no reason; a request finds out whether the session has expired (api/http.ts handles the 401).
const checkSession = () => void api.auth.me({}).catch(() => {})

// Without SignalR's automatic reconnect, which cannot be triggered by hand.
const connection = new HubConnectionBuilder()
  // Server-sent events support neither headers nor subprotocols for the page key.
  .withUrl(viewerHub.path, {
    ...connectLimits(attemptMs, pageSocketProtocols),
    headers: pageHeaders,
    transport: HttpTransportType.WebSockets | HttpTransportType.LongPolling,
  })
  .configureLogging(LogLevel.None)
  .build()

/** Methods of the viewer hub. They reject unless the channel is live. */
export const viewer = hubMethods(viewerHub, connection)

/** Id of the open channel; empty without one. */
export const connectionId = () => connection.connectionId ?? ''

const deviceUpdates = createEvent<DeviceResponseDto>()
const alertsChanges = createEvent<void>()
const rightsChanges = createEvent<void>()
const terminalOutputs = createEvent<TerminalOutputDto>()
const toasts = createEvent<ToastInfo>()
const states = createEvent<LiveState>()

export const onDeviceUpdate = deviceUpdates.on
/** Called when alerts, their rules or watched devices have changed. */
export const onAlertsChange = alertsChanges.on
/** Called when the rights of this person, or on a followed device, have changed. */
export const onRightsChange = rightsChanges.on
export const onTerminalOutput = terminalOutputs.on
export const onToast = toasts.on
export const onLiveState = states.on

let keepChatResponse = (_: ChatResponseHubDto) => false

/** Registers the handler of chat messages from a device; it returns whether it stored the message. */
export const onChatResponse = (handler: (response: ChatResponseHubDto) => boolean) => {
  keepChatResponse = handler
}

handleHub(viewerHub, connection, {
  InvokeToast: toasts.emit,
  ReceiveAlertsChange: alertsChanges.emit,
  ReceiveChatResponse: (response) => keepChatResponse(response),
  ReceiveDeviceUpdate: deviceUpdates.emit,
  ReceiveRightsChange: rightsChanges.emit,
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

/** Starts the next attempt now. */
export function retryConnection() {
  if (live.nextTryAt !== undefined) {
    tryNow()
  }
}
addEventListener('online', retryConnection)

/** Opens the channel and reconnects until `disconnect`. */
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
