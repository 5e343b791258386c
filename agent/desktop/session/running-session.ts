import { cutText } from '../../../shared/cut-text.ts'
import { deferred } from '../../../shared/deferred.ts'
import { Channel, type MessageHandlers } from '../../../shared/remote-control/channel.ts'
import type { DeviceMessage, ViewerMessage } from '../../../shared/remote-control/messages.ts'
import { openPolicy } from '../../../shared/remote-control/policy.ts'
import { layoutCoordinateSpace, messageSeverity } from '../../../shared/remote-control/values.ts'
import type { Clock } from '../../base/clock.ts'
import type { Desktop, DesktopSwitch, Display } from '../../platform/desktop/desktop.ts'
import { strings } from '../strings.ts'
import { SharedClipboard } from './clipboard.ts'
import type { ControlHolders, ControlSeat } from './control-holders.ts'
import { cursorMessage } from './cursor.ts'
import { inputHandlers } from './input.ts'
import type { InputPause } from './input-pause.ts'
import type { SessionEnd, SessionRequest } from './request.ts'
import type { SessionNotice } from './session-notice.ts'
import { PointerFollower } from './pointer-follower.ts'
import { SessionRights } from './rights.ts'
import { SessionSound } from './session-sound.ts'
import { SessionSwitch } from './session-switch.ts'
import { ScreenSender, type DeviceChannel } from './screen-sender.ts'
import type { OpenSocket } from './socket.ts'

interface RunningSessionDependencies {
  desktop: Desktop
  request: SessionRequest
  clock: Clock
  socket: OpenSocket
  notice: SessionNotice
  holders: ControlHolders
  pause: InputPause
  /** Called when the viewer begins to hear the device. */
  onHeard: () => void
  /** Called once, when the session no longer uses the desktop. */
  finish: (end: SessionEnd) => void
}

const firstMetricsMs = 1000
const metricsMs = 3000
const releaseMs = 10_000
const maxNameLength = 100

const nameOf = (viewerName: string | null) => cutText(viewerName ?? 'Somebody', maxNameLength)

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
  readonly #follower: PointerFollower
  readonly #rights: SessionRights
  readonly #cleanUps: (() => void)[] = []
  readonly #inputBlock: SessionSwitch
  readonly #privacyScreen: SessionSwitch
  readonly #sound: SessionSound
  /** Missing for viewers that do not share control, or may not interact. */
  readonly #seat: ControlSeat | undefined
  readonly #clipboard: SharedClipboard
  #endedBy: SessionEnd['by'] = 'connection'
  #measuredAt: number
  #hasTyped = false

  constructor(deps: RunningSessionDependencies) {
    const { desktop, request, clock, socket } = deps
    const { sessionId } = request
    const tell = (message: string) => this.#tell(message)
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
    this.#inputBlock = this.#newSwitch(desktop.blockInput, 'BlockInputResult')
    this.#privacyScreen = this.#newSwitch(desktop.blankScreens, 'PrivacyScreenResult')
    this.#sound = this.#newSound()
    this.#sendDisplays()
    this.#sendStatus()
    const onFailure = (reason: string) => this.#end('desktop', reason)
    this.#screen = new ScreenSender({ desktop, channel, clock, settings: request.capture, onFailure })
    this.#follower = new PointerFollower({ desktop, clock, screen: this.#screen, channel })
    this.#cleanUps.push(() => this.#follower.set(false))
    this.#seat = this.#joinHolders()
    const isPaused = () => deps.pause.isOn
    const mayAct = () => !isPaused() && (this.#seat?.mayAct() ?? true)
    const onTyping = (typing: Promise<unknown>) => deps.pause.follow(typing)
    const place = () => this.#screen.display?.bounds
    const onTyped = () => (this.#hasTyped = true)
    const isWatching = () => !this.#rights.has('canInteract') || (this.#seat?.isWatching() ?? false)
    const { clipboard } = desktop
    this.#clipboard = new SharedClipboard({
      clipboard,
      rights: this.#rights,
      channel,
      sessionId,
      isWatching,
      isPaused,
      tell,
    })
    Object.assign(
      handlers,
      inputHandlers({ input: desktop.input, rights: this.#rights, mayAct, place, tell, onTyping, onTyped }),
      this.#clipboard.handlers(),
      this.#sound.handlers(),
      this.#handlers(),
    )
    if (this.#rights.has('canInteract')) {
      this.#cleanUps.push(deps.pause.add({ release: () => desktop.input.releaseAll(), tell }))
    }
    this.#followDesktop()
    this.#tellMetrics()
    this.#notify()
    socket.start(
      (bytes) => channel.receive(bytes),
      (reason) => channel.end(reason, true),
    )
  }

  #tell(message: string) {
    void this.#channel.send('ToastNotification', { message, severity: messageSeverity.Warning })
  }

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
      FollowPointer: ({ isEnabled }) => this.#follower.set(isEnabled),
      RequestKeyFrame: () => this.#screen.requestKeyFrame(),
      UpdateCaptureSettings: (settings) => this.#screen.apply(settings),
      ToggleBlockInput: ({ isEnabled }) => this.#toggle(this.#inputBlock, isEnabled),
      TogglePrivacyScreen: ({ isEnabled }) => this.#toggle(this.#privacyScreen, isEnabled),
      RequestControl: (request) => this.#seat?.request(request),
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
      this.#deps.notice.showAgain()
    }
    desktop.onSecureDesktop = () => this.#sendStatus()
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
    const { sessionId, viewerName, organizationName, policy } = request
    const { notifyUserOnSessionStart: isShown, isRecorded = false } = request
    const name = strings.ofOrganization(nameOf(viewerName), cutText(organizationName ?? '', maxNameLength))
    const end = () => this.#end('person', 'The person at the device ended the session.')
    const canInteract = policy?.canInteract ?? true
    this.#cleanUps.push(notice.add({ desktop, sessionId, name, canInteract, isShown, isRecorded, end }))
  }

  #joinHolders(): ControlSeat | undefined {
    const { desktop, holders, request } = this.#deps
    const { sharesControl, viewerName, viewerPrincipalId } = request
    if (!sharesControl || !this.#rights.has('canInteract')) {
      return undefined
    }
    const seat = holders.join({
      name: nameOf(viewerName),
      principalId: viewerPrincipalId ?? null,
      release: () => desktop.input.releaseAll(),
      report: (state) => void this.#channel.send('ControlHolders', state),
    })
    this.#cleanUps.push(() => seat.leave())
    return seat
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

  /** Tells the viewer before the first click what this desktop cannot do, and what it shows. */
  #sendStatus() {
    const { desktop } = this.#deps
    const { blockInput, blankScreens } = desktop
    void this.#channel.send('DesktopStatus', {
      isSecureDesktop: desktop.isSecureDesktop?.() ?? false,
      blockInputObstacle: blockInput.obstacle ?? null,
      privacyScreenObstacle: blankScreens.obstacle ?? null,
      spansDisplays: desktop.spansDisplays,
      soundObstacle: this.#sound.obstacle,
    })
  }

  #newSound() {
    const { desktop, request, notice, onHeard } = this.#deps
    return new SessionSound({
      sound: desktop.sound,
      rights: this.#rights,
      channel: this.#channel,
      tell: (message) => this.#tell(message),
      onHeard: (isHeard) => {
        notice.setHeard(request.sessionId, isHeard)
        if (isHeard) {
          onHeard()
        }
      },
    })
  }

  /** Reports a state, and warns of a state that ended by itself. */
  #newSwitch(target: DesktopSwitch, name: 'BlockInputResult' | 'PrivacyScreenResult') {
    return new SessionSwitch(target, (report) => {
      void this.#channel.send(name, report)
      if (report.isSuccess && report.reason !== undefined) {
        this.#tell(report.reason)
      }
    })
  }

  #toggle(target: SessionSwitch, isOn: boolean) {
    if (this.#rights.permits('canBlockInput')) {
      void target.set(isOn)
    }
  }

  /** Waits for a limited time: a display that does not answer must not keep the session. */
  async #releaseSwitches() {
    const { promise: late, resolve } = deferred<void>()
    const cancel = this.#deps.clock.after(releaseMs, () => resolve())
    const switches = [this.#inputBlock, this.#privacyScreen, this.#sound]
    await Promise.race([Promise.all(switches.map((each) => each.release())), late])
    cancel()
  }

  async #finish(reason: string) {
    const { desktop, finish } = this.#deps
    this.#cleanUps.forEach((cleanUp) => cleanUp())
    desktop.onEnd = () => {}
    desktop.onDisplaysChanged = () => {}
    desktop.onCursorChanged = () => {}
    desktop.onSecureDesktop = () => {}
    try {
      desktop.input.releaseAll()
    } catch {
      // A closed desktop holds no keys.
    }
    await this.#clipboard.close()
    await this.#releaseSwitches()
    await this.#screen.close().catch(() => undefined)
    finish({ by: this.#endedBy, reason, hasTyped: this.#hasTyped, ...this.#clipboard.used() })
  }
}
