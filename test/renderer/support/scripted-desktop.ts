import { randomUUID } from 'node:crypto'
import turbo from '@julusian/jpeg-turbo'
import { WebSocket } from 'ws'
import type { HubResult } from '../../../shared/dtos/hub-result.ts'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import type { RemoteControlSessionRequestDto } from '../../../shared/dtos/remote-control.ts'
import { Channel, type MessageHandlers } from '../../../shared/remote-control/channel.ts'
import {
  messages,
  type DeviceMessage,
  type DisplayDto,
  type MessageName,
  type Payload,
  type ViewerMessage,
} from '../../../shared/remote-control/messages.ts'
import { imageFormat } from '../../../shared/remote-control/values.ts'
import { TestAgent, installerKey, type AgentConnection } from '../../support/agent.ts'
import type { Member } from '../../support/server.ts'

export const scriptedDesktop: DesktopSession = {
  areRemoteControlPermissionsGranted: true,
  desktopName: 'Default',
  name: 'Console',
  processId: 4711,
  systemSessionId: 1,
  type: 0,
  username: 'person',
}

const clock = {
  monotonic: () => performance.now(),
  after(delayMs: number, run: () => void) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

export const displayOf = (index: number, width: number, height: number, x = 0): DisplayDto => ({
  capturePixelSize: { width, height },
  displayId: `display-${index}`,
  index,
  isPrimary: index === 0,
  layoutBounds: { x, y: 0, width, height },
  layoutCoordinateSpace: 1,
  name: `Display ${index}`,
  nativePixelSize: null,
})

/** JPEG of one color. */
export function plainPicture(width: number, height: number, [red, green, blue]: readonly [number, number, number]) {
  const pixels = Buffer.alloc(width * height * 4)
  for (let at = 0; at < pixels.length; at += 4) {
    pixels.set([blue, green, red], at)
  }
  return turbo.compressSync(pixels, {
    format: turbo.FORMAT_BGRX,
    width,
    height,
    quality: 95,
    subsampling: turbo.SAMP_444,
  })
}

/** Device's end of remote control, scripted by the test. */
export class ScriptedDesktop {
  /** Requests and messages of viewers. */
  readonly requests: RemoteControlSessionRequestDto[] = []
  readonly received: { name: ViewerMessage; payload: unknown }[] = []
  desktops: DesktopSession[] = [scriptedDesktop]
  displays = [displayOf(0, 320, 200)]
  /** Called before a request is answered. */
  onRequest: () => Promise<HubResult> = () => Promise.resolve(success)
  channel: Channel<DeviceMessage, ViewerMessage> | undefined
  /** Socket of the current session. */
  socket: WebSocket | undefined
  isDeaf = false
  /** Whether a session begins with a picture. */
  paintsAtOnce = true
  readonly #agent: TestAgent
  readonly #url: string
  #connection: AgentConnection | undefined

  private constructor(agent: TestAgent, url: string) {
    this.#agent = agent
    this.#url = url
  }

  static async start(owner: Member) {
    const agent = new TestAgent(owner.tenantId, randomUUID())
    await agent.register(owner, await installerKey(owner))
    const desktop = new ScriptedDesktop(agent, owner.url)
    await desktop.connect()
    return desktop
  }

  get deviceId() {
    return this.#agent.id
  }

  get sessionId() {
    return this.requests.at(-1)!.sessionId
  }

  async connect() {
    this.#connection = await this.#agent.open(
      this.#url,
      {
        RefreshDeviceInfo: () => {},
        GetActiveDesktopSessions: () => this.desktops,
        RequestDesktopPreview: () => failure('This device shows no pictures.'),
        CreateRemoteControlSession: async (request) => {
          this.requests.push(request)
          const answer = await this.onRequest()
          if (answer.isSuccess) {
            this.#join(request.websocketUri)
          }
          return answer
        },
      },
      { isShared: true },
    )
    await this.#connection.UpdateDeviceSigned(this.#agent.signed(this.#agent.report()))
  }

  /** All messages received under this name, oldest first. */
  sent<N extends ViewerMessage>(name: N): Payload<N>[] {
    return this.received.filter((message) => message.name === name).map(({ payload }) => payload as Payload<N>)
  }

  paint(color: readonly [number, number, number]) {
    const { width, height } = this.displays[0]!.capturePixelSize
    const region = { x: 0, y: 0, width, height, encodedImage: plainPicture(width, height, color) }
    return this.channel!.sendFrame(async () => ({ regions: [{ ...region, imageFormat: imageFormat.Jpeg }] }))
  }

  async stop() {
    this.socket?.terminate()
    await this.#connection!.connection.stop()
  }

  #join(uri: string) {
    const socket = new WebSocket(uri, { perMessageDeflate: false })
    const handlers: MessageHandlers<ViewerMessage> = Object.fromEntries(
      (Object.keys(messages) as MessageName[]).map((name) => [
        name,
        (payload: unknown) => void this.received.push({ name: name as ViewerMessage, payload }),
      ]),
    )
    const channel = new Channel<DeviceMessage, ViewerMessage>({
      socket: {
        send: (bytes, onSent) => (socket.readyState === WebSocket.OPEN ? socket.send(bytes, onSent) : onSent()),
        close: () => socket.close(1000, 'Connection closed.'),
      },
      clock,
      handlers,
      onEnd: () => {},
    })
    this.channel = channel
    this.socket = socket
    socket.on('error', () => {})
    socket.on('message', (bytes: Buffer) => {
      if (!this.isDeaf) {
        channel.receive(bytes)
      }
    })
    // Viewers treat a device that sends nothing as lost.
    const metrics = setInterval(() => {
      const extraData = new Map<string, string>()
      void channel.send('CaptureMetricsChanged', { fps: 0, captureMode: 'Script', currentQuality: 75, extraData })
    }, 3_000)
    socket.on('close', () => clearInterval(metrics))
    socket.on('open', () => {
      void channel.send('DisplayData', { displays: this.displays })
      if (this.paintsAtOnce) {
        void this.paint([30, 140, 60])
      }
    })
  }
}
