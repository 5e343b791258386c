import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import type { CaptureSettingsDto } from '../../../shared/remote-control/messages.ts'
import type { ControlRequest } from '../../../shared/remote-control/values.ts'
import { fullPolicy, watchingPolicy } from '../../../shared/remote-control/policy.ts'
import { captureSettings } from '../../../shared/remote-control/viewer.ts'
import { viewer } from '../../api/hubs.ts'
import { pageSocketProtocols } from '../../api/page-key.ts'
import * as t from '../../texts.ts'
import { followReachability } from '../viewer-kit/reachability.ts'
import { newRelayTicket } from '../viewer-kit/relay-ticket.ts'
import { SessionLifecycle } from '../viewer-kit/session-lifecycle.ts'
import type { EndCause } from '../viewer-kit/session-state.ts'
import { Store } from '../viewer-kit/store.ts'
import type { ViewerSession } from '../viewer-kit/use-viewer-session.ts'
import { ClipboardExchange } from './clipboard-exchange.ts'
import { changesOf, initialState, type ConsentQuestion, type ControlState } from './control-state.ts'
import { confirmed, switchedOff, type DeviceSwitch, type SwitchName } from './device-switch.ts'
import { canAct } from './holders.ts'
import { sameDesktop } from './same-desktop.ts'
import { SoundPlayer } from './sound-player.ts'
import { takeStageWorker } from './spare-stage-worker.ts'
import { mostLetters, type FromStage, type Sent, type StageEnd, type ToStage } from './stage-messages.ts'
import { canDecodeVideo } from './video-decoding.ts'

export interface ControlSessionOptions {
  deviceId: string
  desktop: DesktopSession
  capture: CaptureSettingsDto
  isViewOnly: boolean
  needsConsent: boolean
  /** Display to show first, in place of the primary one. */
  displayId: string | undefined
  /** Resolves with whether the person is asked because of a policy. */
  isAsked: (subject: ConsentQuestion['subject']) => Promise<boolean>
  onClipboard: (text: string) => void
}

const retryMs = 2_000
const switchAnswerMs = 5_000
/** Time after which a request waits for a person or a slow device, not for its way through the server. */
const consentAfterMs = 250
const switchMessages = {
  inputBlock: 'ToggleBlockInput',
  privacyScreen: 'TogglePrivacyScreen',
  sound: 'ToggleSound',
} as const

/** Undefined until the browser has answered, which it does before a person can click. */
let decodesVideo: boolean | undefined
void canDecodeVideo().then((canDecode) => (decodesVideo = canDecode))

/** Hub error for a missing permission. */
const forbidden = 'Forbidden.'

/** Texts for the ends that the stage reports. A lost connection is not among them. */
const ends: Record<Exclude<StageEnd['by'], 'connection'>, [EndCause, (reason: string) => string]> = {
  person: ['device', () => t.control.endedByPerson],
  device: ['device', (reason) => (reason === '' ? t.control.noDisplay : t.control.endedByDevice(reason))],
  server: ['server', (reason) => reason],
  'unread-acks': ['failure', () => t.control.unreadAcks],
}

/**
 * Remote control session with one desktop. A lost connection is replaced by a new session; a session that was ended
 * stays ended. Input is never queued for later.
 */
export class ControlSession implements ViewerSession<ControlState> {
  readonly store = new Store(initialState)
  readonly clipboard = new ClipboardExchange({
    order: (order) => this.#order(order),
    send: (message) => this.send(message),
  })
  readonly canvas = document.createElement('canvas')
  readonly #worker = takeStageWorker()
  /** Whether the worker's script did not load: this session, whose canvas the worker has, can then never begin. */
  #isUnloaded = false
  readonly #lifecycle = new SessionLifecycle<ConsentQuestion>({
    onState: (session) => this.#handleState(session),
    reconnect: () => void this.#reconnect(),
    retryDelaysMs: [retryMs],
  })
  readonly #reachability = followReachability((isReachable) => this.#lifecycle.setReachable(isReachable))
  #options: ControlSessionOptions
  #sessionId = ''
  /** Connection made beside its request, until the answer. */
  #early: 'waits' | 'lost' | undefined
  /** Requests for a screenshot, answered in order. */
  readonly #shots: ((picture: Blob) => void)[] = []
  readonly #player = new SoundPlayer()
  readonly #switchTimers: { [N in SwitchName]?: ReturnType<typeof setTimeout> } = {}

  constructor(options: ControlSessionOptions) {
    this.#options = options
    const canvas = this.canvas.transferControlToOffscreen()
    this.#order({ do: 'use', canvas }, [canvas])
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromStage[]>) =>
      data.forEach((message) => this.#handle(message)),
    )
    this.#worker.addEventListener('error', (error: Event) => {
      // An error in running code is an `ErrorEvent`, after which the worker goes on.
      if (!(error instanceof ErrorEvent)) {
        this.#isUnloaded = true
        this.#lifecycle.end('failure', t.control.unloaded)
      }
    })
    void viewer.StartDeviceAccessActivity2({ deviceId: options.deviceId }).catch(() => {})
    this.begin()
  }

  /** Process that serves the desktop; another one after a restart of the agent. */
  get processId(): number {
    return this.#options.desktop.processId
  }

  get systemSessionId(): number {
    return this.#options.desktop.systemSessionId
  }

  get isViewOnly(): boolean {
    return this.#options.isViewOnly
  }

  /** Id of the current connection; clipboard messages carry it. */
  get sessionId(): string {
    return this.#sessionId
  }

  /** Requests a session, or another one with other rights. The canvas keeps its picture meanwhile. */
  begin(changes: Partial<Pick<ControlSessionOptions, 'isViewOnly' | 'needsConsent'>> = {}): void {
    this.#options = { ...this.#options, ...changes }
    if (this.#isUnloaded) {
      this.#lifecycle.end('failure', t.control.unloaded)
    } else {
      void this.#request(this.#options.desktop)
    }
  }

  /** Sends a message now or drops it: input typed without a connection is never sent later. */
  send(message: Sent): void {
    if (this.#lifecycle.state.phase === 'open') {
      this.#order({ do: 'send', message })
    }
  }

  /** Sends a person's input, unless the session is view-only or another viewer holds control. */
  act(message: Sent): void {
    if (!this.#options.isViewOnly && canAct(this.store.state.viewers)) {
      this.send(message)
    }
  }

  requestControl(request: ControlRequest, viewerId: number): void {
    this.send({ name: 'RequestControl', payload: { request, viewerId } })
  }

  setCapture(capture: CaptureSettingsDto): void {
    if (capture !== this.#options.capture) {
      this.#options = { ...this.#options, capture }
      this.#order({ do: 'capture', capture })
    }
  }

  show(displayId: string): void {
    this.#order({ do: 'show', displayId })
  }

  /** Whether the session can be recorded: whole pictures are then asked for from time to time. */
  setWholePictures(isOn: boolean): void {
    this.#order({ do: 'whole-pictures', isOn })
  }

  /** Asks the device to block input, to blank its screens or to send its sound, or to end that. */
  toggle(name: SwitchName, isEnabled: boolean): void {
    if (name === 'sound' && isEnabled) {
      this.#player.open()
    }
    this.#setSwitch(name, { state: 'asked', reason: '' })
    this.send({ name: switchMessages[name], payload: { isEnabled } })
    // Devices that cannot do it do not answer.
    this.#switchTimers[name] = setTimeout(
      () => this.#setSwitch(name, { state: 'failed', reason: t.control.switchUnanswered }),
      switchAnswerMs,
    )
  }

  /** Picture of the shown display, as the page has it. */
  screenshot(): Promise<Blob> {
    this.#order({ do: 'shoot' })
    return new Promise((resolve) => this.#shots.push(resolve))
  }

  setDeviceOnline(isOnline: boolean): void {
    this.#reachability.setDeviceOnline(isOnline)
  }

  stop(): void {
    this.#lifecycle.stop()
    this.#reachability.stop()
    this.#resetSwitches()
    this.#order({ do: 'quit' })
    void viewer.DisposeDeviceAccessActivity().catch(() => {})
  }

  /** Ends the session; the canvas keeps its picture. */
  end(): void {
    this.#lifecycle.end('viewer', t.control.endedByYou)
  }

  #order(order: ToStage, transfer: Transferable[] = []) {
    this.#worker.postMessage(order, transfer)
  }

  #handleState(session: ControlState['session']) {
    if (session.phase === 'ended') {
      this.#order({ do: 'close' })
    }
    if (session.phase === 'asking' || session.phase === 'connecting') {
      this.store.update({ session })
    } else {
      this.#resetSwitches()
      this.store.update({ session, isSilent: false, isSecureDesktop: false, viewers: [] })
      this.clipboard.restart(session.phase === 'open')
    }
  }

  async #request({ processId, systemSessionId, asksPerson }: DesktopSession) {
    const isCurrent = this.#lifecycle.begin()
    const { deviceId, needsConsent, isViewOnly, capture, displayId } = this.#options
    const isRetry = this.#lifecycle.state.phase === 'lost'
    const subject = isViewOnly ? 'viewing' : 'control'
    const question = { since: Date.now(), subject } as const
    let isAsked = needsConsent
    if (needsConsent || asksPerson) {
      this.#lifecycle.enter({ phase: 'asking', question })
    } else if (!isRetry) {
      this.#lifecycle.enter({ phase: 'connecting' })
    }
    let hasAnswer = false
    if (!needsConsent) {
      const isWaiting = () => !hasAnswer && isCurrent() && this.#lifecycle.state.phase !== 'open'
      const ask = async () => {
        if (isWaiting() && (await this.#options.isAsked(subject)) && isWaiting()) {
          isAsked = true
          this.#lifecycle.enter({ phase: 'asking', question })
        }
      }
      setTimeout(() => void ask(), isRetry ? 0 : consentAfterMs)
    }
    const { sessionId, requester, responder } = newRelayTicket()
    const connect = () => {
      this.#sessionId = sessionId
      const protocols = pageSocketProtocols()
      this.#order({ do: 'connect', uri: requester, protocols, sessionId, capture, displayId })
    }
    this.#early = undefined
    if (!needsConsent && !asksPerson) {
      // The relay lets this end wait for the device.
      this.#early = 'waits'
      connect()
    }
    let refusal: string | null
    try {
      const answer = await viewer.RequestRemoteControlSession2({
        deviceId,
        sessionId,
        websocketUri: responder,
        targetProcessId: processId,
        targetSystemSession: systemSessionId,
        requireConsent: needsConsent,
        sharesControl: true,
        capture: decodesVideo === undefined ? undefined : captureSettings({ ...capture, acceptsVp8: decodesVideo }),
        policy: isViewOnly ? watchingPolicy : fullPolicy,
      })
      refusal = answer.isSuccess ? null : (answer.reason ?? t.control.refused)
    } catch {
      refusal = t.control.noServer
    }
    hasAnswer = true
    if (!isCurrent()) {
      return
    }
    const isConnecting = this.#early === 'waits'
    this.#early = undefined
    if (refusal === null) {
      if (!isConnecting) {
        connect()
      }
      return
    }
    this.#order({ do: 'close' })
    if (isRetry && !isAsked) {
      this.#lifecycle.retryLater()
    } else {
      this.#lifecycle.end('failure', refusal)
    }
  }

  /** Lists the desktops first: after a restart of the agent another process serves this one. */
  async #reconnect() {
    const isCurrent = this.#lifecycle.begin()
    const { deviceId, desktop } = this.#options
    const answer = await viewer.GetActiveDesktopSessions2({ deviceId }).catch(() => undefined)
    if (!isCurrent()) {
      return
    }
    const found = sameDesktop(answer?.value?.sessions ?? [], desktop)
    if (answer?.reason === forbidden) {
      this.#lifecycle.end('server', t.control.forbidden)
    } else if (found === 'elsewhose') {
      this.#lifecycle.end('device', t.control.elsewhose)
    } else if (found?.areRemoteControlPermissionsGranted) {
      this.#options = { ...this.#options, desktop: found }
      void this.#request(found)
    } else {
      this.#lifecycle.retryLater()
    }
  }

  #handle(message: FromStage) {
    switch (message.is) {
      case 'connected':
        this.#lifecycle.enter({ phase: 'open' })
        break
      case 'clipboard':
        this.#options.onClipboard(message.text)
        break
      case 'input-block':
        this.#setSwitch('inputBlock', confirmed(message))
        break
      case 'privacy-screen':
        this.#setSwitch('privacyScreen', confirmed(message))
        break
      case 'sound-result':
        // The answer to the order below changes nothing.
        if (message.finalState || this.store.state.sound.state !== 'failed') {
          this.#setSwitch('sound', confirmed(message))
        }
        break
      case 'sound-failed':
        this.send({ name: 'ToggleSound', payload: { isEnabled: false } })
        this.#setSwitch('sound', { state: 'failed', reason: t.control.soundUndecoded })
        break
      case 'sound':
        this.#player.play(message.planes)
        break
      case 'shot':
        this.#shots.shift()?.(message.picture)
        break
      case 'ended':
        this.#ended(message.end)
        break
      case 'clipboard-status':
      case 'clipboard-offer':
      case 'clipboard-picture':
      case 'clipboard-result':
      case 'folder':
        this.clipboard.handle(message)
        break
      default:
        this.store.update(changesOf(message, this.store.state))
    }
  }

  #setSwitch(name: SwitchName, state: DeviceSwitch) {
    clearTimeout(this.#switchTimers[name])
    if (name === 'sound' && state.state !== 'on' && state.state !== 'asked') {
      this.#player.close()
    }
    this.store.update({ [name]: state })
  }

  /** The device ends these states with the session. */
  #resetSwitches() {
    this.#setSwitch('sound', switchedOff)
    this.#setSwitch('inputBlock', switchedOff)
    this.#setSwitch('privacyScreen', switchedOff)
  }

  #ended({ by, reason }: StageEnd) {
    if (this.#lifecycle.state.phase === 'ended') {
      // The connection of a refused session may end after the answer, whose reason stays.
      return
    }
    if (by === 'connection' && this.#early === 'waits') {
      // The relay's time for this end may be over before a person has answered.
      this.#early = 'lost'
    } else if (by === 'connection') {
      this.#lifecycle.retryLater()
    } else {
      const [cause, text] = ends[by]
      this.#lifecycle.end(cause, text(reason.slice(0, mostLetters)))
    }
  }
}
