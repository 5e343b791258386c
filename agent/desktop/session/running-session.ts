import { cutText } from '../../../shared/cut-text.ts'
import { Channel, type MessageHandlers } from '../../../shared/remote-control/channel.ts'
import type { DeviceMessage, ViewerMessage } from '../../../shared/remote-control/messages.ts'
import { openPolicy } from '../../../shared/remote-control/policy.ts'
import { layoutCoordinateSpace, messageSeverity } from '../../../shared/remote-control/values.ts'
import type { Clock } from '../../base/clock.ts'
import type { Desktop, Display } from '../../platform/desktop/desktop.ts'
import { shareClipboard } from './clipboard.ts'
import { cursorMessage } from './cursor.ts'
import { inputHandlers } from './input.ts'
import type { SessionEnd, SessionRequest } from './request.ts'
import type { SessionNotice } from './session-notice.ts'
import { SessionRights } from './rights.ts'
import { ScreenSender, type DeviceChannel } from './screen-sender.ts'
import type { OpenSocket } from './socket.ts'

interface RunningSessionDependencies {
  desktop: Desktop
  request: SessionRequest
  clock: Clock
  socket: OpenSocket
  notice: SessionNotice
  /** Called once, when the session no longer uses the desktop. */
  finish: (end: SessionEnd) => void
}

const firstMetricsMs = 1000
const metricsMs = 3000
const maxNameLength = 100

const displayDto = ({ id, name, isPrimary, bounds }: Display, index: number) => {
  const size = { width: bounds.width, height: bounds.height }
  return {
    capturePixelSize: size,
    displayId: id,
    index,
    isPrimary,
    layoutBounds: bounds,
    layoutCoordinateSpace: layoutCoordinateSpace.Physical,
    name,
    nativePixelSize: size,
  }
}

/** Session with both ends connected. */
export class RunningSession {
  readonly #deps: RunningSessionDependencies
  readonly #channel: DeviceChannel
  readonly #screen: ScreenSender
  readonly #rights: SessionRights
  readonly #cleanUps: (() => void)[] = []
  #isInputBlocked = false
  #blocking: Promise<void> = Promise.resolve()
  #endedBy: SessionEnd['by'] = 'connection'
  #measuredAt: number

  constructor(deps: RunningSessionDependencies) {
    const { desktop, request, clock, socket } = deps
    const { sessionId } = request
    const tell = (message: string) =>
      void this.#channel.send('ToastNotification', { message, severity: messageSeverity.Warning })
    const handlers: MessageHandlers<ViewerMessage> = {}
    const channel = new Channel<DeviceMessage, ViewerMessage>({
      socket,
      clock,
      handlers,
      onEnd: (reason) => void this.#finish(reason),
    })
    this.#deps = deps
    this.#measuredAt = clock.monotonic()
    this.#channel = channel
    this.#rights = new SessionRights(request.policy ?? openPolicy, tell)
    this.#sendDisplays()
    const onFailure = (reason: string) => this.#end('desktop', reason)
    this.#screen = new ScreenSender({ desktop, channel, clock, onFailure })
    const place = () => this.#screen.display?.bounds
    Object.assign(
      handlers,
      inputHandlers({ input: desktop.input, rights: this.#rights, place, tell }),
      shareClipboard({ clipboard: desktop.clipboard, rights: this.#rights, channel, sessionId, tell }),
      this.#handlers(),
    )
    this.#followDesktop()
    this.#tellMetrics()
    this.#notify()
    socket.start(
      (bytes) => channel.receive(bytes),
      (reason) => channel.end(reason, true),
    )
  }

  /** Ends the session and sends the viewer the reason. */
  #end(by: SessionEnd['by'], reason: string) {
    this.#endedBy = by
    if (by === 'person') {
      this.#channel.sendLast('SessionDisconnectRequested', {}, reason)
    } else {
      this.#channel.sendLast('RemoteControlSessionError', { message: reason, isFatal: true }, reason)
    }
  }

  #handlers(): MessageHandlers<ViewerMessage> {
    return {
      ChangeDisplays: ({ displayId }) => this.#screen.show(displayId),
      RequestKeyFrame: () => this.#screen.requestKeyFrame(),
      UpdateCaptureSettings: (settings) => this.#screen.apply(settings),
      ToggleBlockInput: ({ isEnabled }) => void this.#toggleBlockInput(isEnabled),
      CloseRemoteControlSession: () => {
        this.#endedBy = 'viewer'
        this.#channel.end('The viewer closed the session.')
      },
    }
  }

  #sendDisplays() {
    void this.#channel.send('DisplayData', { displays: this.#deps.desktop.displays().map(displayDto) })
  }

  #followDesktop() {
    const { desktop, request } = this.#deps
    desktop.onDisplaysChanged = () => {
      this.#sendDisplays()
      this.#screen.followDisplays()
    }
    desktop.onEnd = (reason) => this.#end('desktop', reason)
    const sendCursor = () =>
      void cursorMessage(desktop.cursor(), request.sessionId).then(
        (message) => this.#channel.send('CursorChanged', message),
        () => {},
      )
    desktop.onCursorChanged = sendCursor
    sendCursor()
  }

  #notify() {
    const { desktop, request, notice } = this.#deps
    if (request.notifyUserOnSessionStart) {
      const name = cutText(request.viewerName ?? 'Somebody', maxNameLength)
      const end = () => this.#end('person', 'The person at the device ended the session.')
      this.#cleanUps.push(notice.add({ desktop, name, canInteract: request.policy?.canInteract ?? true, end }))
    }
  }

  #tellMetrics() {
    const { clock } = this.#deps
    const first = clock.after(firstMetricsMs, () => {
      this.#sendMetrics()
      this.#cleanUps.push(clock.every(metricsMs, () => this.#sendMetrics()))
    })
    this.#cleanUps.push(first)
  }

  #sendMetrics() {
    const { clock, desktop } = this.#deps
    const now = clock.monotonic()
    const fps = (this.#screen.takeFrameCount() * 1000) / Math.max(1, now - this.#measuredAt)
    this.#measuredAt = now
    void this.#channel.send('CaptureMetricsChanged', {
      fps,
      captureMode: desktop.captureMode,
      currentQuality: this.#screen.quality.current,
      extraData: new Map(),
    })
  }

  async #toggleBlockInput(isEnabled: boolean) {
    // Without system support send no reply, as other implementations do.
    if (this.#deps.desktop.blockInput && this.#rights.permits('canBlockInput')) {
      await this.#blockInput(isEnabled)
      const finalState = this.#isInputBlocked
      void this.#channel.send('BlockInputResult', { isSuccess: finalState === isEnabled, finalState })
    }
  }

  /** Serializes calls, so that the effective state is known. */
  #blockInput(isBlocked: boolean): Promise<void> {
    this.#blocking = this.#blocking.then(async () => {
      try {
        this.#isInputBlocked = (await this.#deps.desktop.blockInput?.(isBlocked)) ?? false
      } catch {
        // On failure the previous state stays in effect.
      }
    })
    return this.#blocking
  }

  /** Also waits for a pending block. */
  async #unblockInput() {
    await this.#blocking
    if (this.#isInputBlocked) {
      await this.#blockInput(false)
    }
  }

  async #finish(reason: string) {
    const { desktop, finish } = this.#deps
    this.#cleanUps.forEach((cleanUp) => cleanUp())
    desktop.onEnd = () => {}
    desktop.onDisplaysChanged = () => {}
    desktop.onCursorChanged = () => {}
    desktop.clipboard.onChange = () => {}
    try {
      desktop.input.releaseAll()
      await this.#unblockInput()
      await this.#screen.close()
    } catch {
      // A closed desktop holds no keys.
    }
    finish({ by: this.#endedBy, reason })
  }
}
