import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { systemClock, type Clock } from '../../../../agent/base/clock.ts'
import type { Desktop } from '../../../../agent/platform/desktop/desktop.ts'
import type { SessionRequest } from '../../../../agent/desktop/session/request.ts'
import { ControlHolders } from '../../../../agent/desktop/session/control-holders.ts'
import { InputPause } from '../../../../agent/desktop/session/input-pause.ts'
import { SessionNotice } from '../../../../agent/desktop/session/session-notice.ts'
import { runRemoteControl } from '../../../../agent/desktop/session/session.ts'
import { Canvas, connectRemoteViewer } from '../../../../tools/simulate/remote-viewer.ts'
import { defaultCaptureSettings } from '../../../../shared/remote-control/viewer.ts'
import type {
  CaptureSettingsDto,
  DisplayDto,
  MessageName,
  MovedAreaDto,
  Payload,
  ScreenFrame,
  ScreenRegionDto,
} from '../../../../shared/remote-control/messages.ts'
import { until } from '../../../support/until.ts'
import { MemoryDesktop } from './memory-desktop.ts'

/** Relays messages between two sockets, as the relay does. */
export async function startRelay() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  await once(server, 'listening')
  let first: WebSocket | undefined
  server.on('connection', (socket) => {
    if (!first) {
      first = socket
      socket.pause()
      return
    }
    const pair = [first, socket] as const
    first = undefined
    for (const [from, to] of [pair, [pair[1], pair[0]] as const]) {
      from.on('message', (bytes: Buffer) => to.send(bytes))
      from.on('close', () => to.close(1000, 'Session ended.'))
      from.resume()
    }
  })
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.clients.forEach((socket) => socket.terminate())
    server.close()
  }
  return { uri: `ws://127.0.0.1:${port}`, server, stop }
}

interface SceneOptions<D extends Desktop> {
  desktop: D
  request?: Partial<SessionRequest>
  clock?: Clock
  /** Notice shared by several sessions on one desktop. */
  notice?: SessionNotice
  /** Shared by several sessions on one desktop. */
  holders?: ControlHolders
  /** Shared by several sessions on one desktop. */
  pause?: InputPause
  /** Called when the viewer begins to hear the device. */
  onHeard?: () => void
  /** First settings of the viewer, beside the default ones. */
  capture?: Partial<CaptureSettingsDto>
}

const quietRequest = {
  sessionId: '00000000-0000-0000-0000-000000000001',
  viewerName: null,
  notifyUserOnSessionStart: false,
  server: null,
}

/** Starts a device at the relay without a notice, for a viewer that the test implements. */
export const runQuietly = (
  desktop: Desktop,
  websocketUri: string,
  clock: Clock = systemClock,
  request: Partial<SessionRequest> = {},
) =>
  runRemoteControl({
    desktop,
    clock,
    notice: new SessionNotice(),
    holders: new ControlHolders(),
    pause: new InputPause(),
    request: { ...quietRequest, websocketUri, ...request },
  })

type Told = { [N in MessageName]?: Payload<N>[] }

/** Starts a device with an in-memory desktop and a viewer that draws, joined by a relay; stopped when the test ends. */
export const startScene = ({
  desktop = new MemoryDesktop([320, 200]),
  ...rest
}: Partial<SceneOptions<MemoryDesktop>> = {}) => startSceneOn({ desktop, ...rest })

/** Works like `startScene`, on any desktop. */
export async function startSceneOn<D extends Desktop>({
  desktop,
  request,
  clock = systemClock,
  notice = new SessionNotice(),
  holders = new ControlHolders(),
  pause = new InputPause(),
  onHeard = () => undefined,
  capture = {},
}: SceneOptions<D>) {
  const relay = await startRelay()
  const sessionId = randomUUID()
  const ended = runRemoteControl({
    desktop,
    request: {
      sessionId,
      websocketUri: relay.uri,
      viewerName: 'Ada',
      notifyUserOnSessionStart: false,
      server: null,
      ...request,
    },
    clock,
    notice,
    holders,
    pause,
    onHeard,
  })
  const canvas = new Canvas()
  const told: Told = {}
  const frames: (readonly ScreenRegionDto[])[] = []
  const received: ScreenFrame[] = []
  const moves: MovedAreaDto[] = []
  let displays: readonly DisplayDto[] = []
  const tell =
    <N extends MessageName>(name: N) =>
    (payload: Payload<N>) => {
      ;((told[name] ??= []) as Payload<N>[]).push(payload)
    }
  const viewer = await connectRemoteViewer({
    uri: relay.uri,
    onFrame: (frame) => {
      received.push(frame)
      frames.push(frame.regions)
      moves.push(...(frame.moves ?? []))
      void canvas.draw(frame)
    },
    on: {
      DisplayData: (payload) => {
        displays = payload.displays
        const primary = displays[0]
        if (primary) {
          canvas.resize(primary)
        }
      },
      ClipboardText: tell('ClipboardText'),
      ClipboardStatus: tell('ClipboardStatus'),
      ClipboardOffer: tell('ClipboardOffer'),
      ClipboardPicture: tell('ClipboardPicture'),
      ClipboardResult: tell('ClipboardResult'),
      Folder: tell('Folder'),
      CursorChanged: tell('CursorChanged'),
      CaptureMetricsChanged: tell('CaptureMetricsChanged'),
      BlockInputResult: tell('BlockInputResult'),
      PrivacyScreenResult: tell('PrivacyScreenResult'),
      DesktopStatus: tell('DesktopStatus'),
      ControlHolders: tell('ControlHolders'),
      DisplayShown: tell('DisplayShown'),
      SoundResult: tell('SoundResult'),
      Sound: tell('Sound'),
      ToastNotification: tell('ToastNotification'),
      SessionDisconnectRequested: tell('SessionDisconnectRequested'),
      RemoteControlSessionError: tell('RemoteControlSessionError'),
    },
    onEnd: () => {},
  })
  await viewer.send('UpdateCaptureSettings', { ...defaultCaptureSettings, ...capture })
  const stop = async () => {
    relay.stop()
    await ended
  }
  onTestFinished(stop)
  return {
    relay,
    desktop,
    ended,
    sessionId,
    viewer,
    canvas,
    told,
    received,
    frames,
    moves,
    displays: () => displays,
    stop,
  }
}

export type Scene = Awaited<ReturnType<typeof startScene>>

/** Sends a message and waits for its effect: all earlier messages have been handled then. */
export async function handled({ viewer, frames }: Scene) {
  const before = frames.length
  await viewer.send('RequestKeyFrame', {})
  await until(() => frames.length > before)
}
