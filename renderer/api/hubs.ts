import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import { handleHub, hubMethods } from '../../shared/contract/hub.ts'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import type { TerminalOutputDto } from '../../shared/dtos/terminal.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import { createEvent } from './event.ts'
import { api } from './http.ts'

/** State of this tab's one connection to the viewer hub. */
export interface LiveState {
  state: 'off' | 'connecting' | 'live' | 'reconnecting'
  /** When the state began, in ms since the epoch. */
  since: number
}

const retryDelaysMs = [0, 1_000, 2_000, 5_000]
const lastRetryDelayMs = 10_000

// The channel only reports that it is lost; a request tells whether the session is gone too (api/http.ts acts on it).
const checkSession = () => void api.auth.me({}).catch(() => {})

const connection = new HubConnectionBuilder()
  .withUrl(viewerHub.path)
  .withAutomaticReconnect({
    nextRetryDelayInMilliseconds: ({ previousRetryCount }) => {
      if (previousRetryCount > 1) {
        checkSession()
      }
      return retryDelaysMs[previousRetryCount] ?? lastRetryDelayMs
    },
  })
  .configureLogging(LogLevel.None)
  .build()

/** The methods of the viewer hub. They reject while the channel is not live. */
export const viewer = hubMethods(viewerHub, connection)

const deviceUpdates = createEvent<DeviceResponseDto>()
const terminalOutputs = createEvent<TerminalOutputDto>()
const states = createEvent<LiveState>()

export const onDeviceUpdate = deviceUpdates.on
export const onTerminalOutput = terminalOutputs.on
export const onLiveState = states.on

handleHub(viewerHub, connection, {
  ReceiveDeviceUpdate: deviceUpdates.emit,
  ReceiveTerminalOutput: terminalOutputs.emit,
})

let live: LiveState = { state: 'off', since: Date.now() }
export const liveState = () => live

function enter(state: LiveState['state']) {
  if (state !== live.state) {
    live = { state, since: Date.now() }
    states.emit(live)
  }
}

let isWanted = false
let retryTimer: ReturnType<typeof setTimeout> | undefined

async function start(attempt: number) {
  try {
    await connection.start()
    enter('live')
  } catch {
    checkSession()
    retryTimer = isWanted
      ? setTimeout(() => void start(attempt + 1), retryDelaysMs[attempt] ?? lastRetryDelayMs)
      : undefined
  }
}

connection.onreconnecting(() => enter('reconnecting'))
connection.onreconnected(() => enter('live'))
connection.onclose(() => {
  if (isWanted) {
    enter('reconnecting')
    void start(0)
  }
})

/** Opens the channel and keeps it open until `disconnect`. */
export function connect() {
  if (!isWanted) {
    isWanted = true
    enter('connecting')
    void start(0)
  }
}

export async function disconnect() {
  isWanted = false
  clearTimeout(retryTimer)
  enter('off')
  await connection.stop()
}
