import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import type { CaptureSettingsDto, DisplayDto } from '../../../shared/remote-control/messages.ts'
import { openPolicy } from '../../../shared/remote-control/policy.ts'
import { makeTicketWith } from '../../../shared/remote-control/ticket.ts'
import { liveState, onLiveState, viewer } from '../../api/hubs.ts'
import { pageSocketProtocols } from '../../api/page-key.ts'
import { en as t } from '../../strings/en.ts'
import { sameDesktop } from './same-desktop.ts'
import type { CursorShape, FromStage, Sent, StageEnd, StageMetrics, ToStage } from './stage-messages.ts'

export type ControlPhase =
  /** The device, and where it was wanted the person there, is asked; then both come to the relay. */
  | { name: 'asking'; since: number }
  | { name: 'connecting' }
  | { name: 'running' }
  /** Comes back by itself. */
  | { name: 'lost'; since: number; why: string }
  /** Stays over until the viewer begins anew. */
  | { name: 'over'; why: string }

/** What the page shows of a session. */
export interface ControlState {
  phase: ControlPhase
  displays: readonly DisplayDto[]
  /** Displays that the device lists; more than `displays` where not all can be shown. */
  listedDisplays: number
  shownId: string | undefined
  cursor: CursorShape | undefined
  metrics: StageMetrics | undefined
  /** There is a picture on the canvas, perhaps an old one. */
  hasPicture: boolean
  /** The device has acked nothing for so long that input is not sent. */
  isSilent: boolean
  /** As the device confirmed it; `asked` while it has not answered. */
  inputBlock: 'off' | 'asked' | 'on' | 'refused'
  /** What the device said last; changes with each message. */
  told: { text: string; at: number } | undefined
}

interface SessionOptions {
  deviceId: string
  desktop: DesktopSession
  capture: CaptureSettingsDto
  isViewOnly: boolean
  needsConsent: boolean
  onClipboard: (text: string) => void
}

const retryMs = 2_000
const blockAnswerMs = 5_000
const maxTold = 300

/** What the hub says to whom a right is missing. */
const forbidden = 'Forbidden.'

/** The device enforces it, so that a slip of the page cannot act there. */
const lookingOnly = { ...openPolicy, canInteract: false, canWriteClipboard: false, canBlockInput: false }

const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count))

const firstState: ControlState = {
  phase: { name: 'connecting' },
  displays: [],
  listedDisplays: 0,
  shownId: undefined,
  cursor: undefined,
  metrics: undefined,
  hasPicture: false,
  isSilent: false,
  inputBlock: 'off',
  told: undefined,
}

const endTexts: Record<StageEnd['by'], (reason: string) => string> = {
  person: () => t.control.endedByPerson,
  device: (reason) => (reason === '' ? t.control.noDisplay : t.control.endedByDevice(reason)),
  server: (reason) => t.control.endedByServer(reason),
  connection: () => t.control.lost,
  'unread-acks': () => t.control.unreadAcks,
}

/**
 * One desktop of one device on screen, through every loss of the connection, until `stop`. A connection that breaks is made
 * anew as a session of its own; one that somebody ended is not. Nothing is kept to be sent later.
 */
export class ControlSession {
  readonly canvas = document.createElement('canvas')
  readonly #worker = new Worker(new URL('./stage-worker.ts', import.meta.url), { type: 'module' })
  readonly #listeners = new Set<() => void>()
  readonly #stopFollowing: () => void
  #options: SessionOptions
  #state = firstState
  /** Counts the tries, so that what an older one brings is not taken for the newest. */
  #attempt = 0
  #sessionId = ''
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #blockTimer: ReturnType<typeof setTimeout> | undefined
  #isStopped = false

  constructor(options: SessionOptions) {
    this.#options = options
    const canvas = this.canvas.transferControlToOffscreen()
    this.#order({ do: 'use', canvas }, [canvas])
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromStage>) => this.#take(data))
    this.#stopFollowing = onLiveState(({ state }) => {
      if (state === 'live') {
        this.#retryNow()
      }
    })
    void viewer.StartDeviceAccessActivity2({ deviceId: options.deviceId }).catch(() => {})
    this.begin()
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get state(): ControlState {
    return this.#state
  }

  /** Of the desktop at the device; another one after its agent was restarted. */
  get processId(): number {
    return this.#options.desktop.processId
  }

  get isViewOnly(): boolean {
    return this.#options.isViewOnly
  }

  /** Of the connection of now; the clipboard messages carry it. */
  get sessionId(): string {
    return this.#sessionId
  }

  /** Asks for a session, also for another one with other rights; what is on the canvas stays until it comes. */
  begin(changes: Partial<Pick<SessionOptions, 'isViewOnly' | 'needsConsent'>> = {}): void {
    this.#options = { ...this.#options, ...changes }
    void this.#ask(this.#options.desktop)
  }

  /** Only what can be sent at once is sent: whatever is typed without a connection reaches nobody. */
  send(message: Sent): void {
    if (this.#state.phase.name === 'running') {
      this.#order({ do: 'send', message })
    }
  }

  /** Input of a person; nothing of it leaves a session that only looks. */
  act(message: Sent): void {
    if (!this.#options.isViewOnly) {
      this.send(message)
    }
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

  blockInput(isEnabled: boolean): void {
    this.#update({ inputBlock: 'asked' })
    this.send({ name: 'ToggleBlockInput', payload: { isEnabled } })
    clearTimeout(this.#blockTimer)
    // Devices that cannot do it do not answer.
    this.#blockTimer = setTimeout(() => this.#update({ inputBlock: 'refused' }), blockAnswerMs)
  }

  stop(): void {
    this.#isStopped = true
    this.#attempt++
    this.#stopFollowing()
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#blockTimer)
    this.#order({ do: 'quit' })
    void viewer.DisposeDeviceAccessActivity().catch(() => {})
  }

  /** The session of now is given up; what is on the canvas stays. */
  end(): void {
    this.#attempt++
    this.#over(t.control.endedByYou)
  }

  #order(order: ToStage, transfer: Transferable[] = []) {
    this.#worker.postMessage(order, transfer)
  }

  #update(changes: Partial<ControlState>) {
    this.#state = { ...this.#state, ...changes }
    this.#listeners.forEach((listener) => listener())
  }

  #over(why: string) {
    this.#order({ do: 'close' })
    clearTimeout(this.#retryTimer)
    this.#update({ phase: { name: 'over', why }, inputBlock: 'off', isSilent: false })
  }

  async #ask({ processId, systemSessionId }: DesktopSession) {
    const attempt = ++this.#attempt
    const { deviceId, needsConsent, isViewOnly, capture } = this.#options
    const isRetry = this.#state.phase.name === 'lost'
    if (!isRetry || needsConsent) {
      this.#update({ phase: needsConsent ? { name: 'asking', since: Date.now() } : { name: 'connecting' } })
    }
    const { sessionId, requester, responder } = makeTicketWith(randomBytes, location.origin)
    let refusal: string | null
    try {
      const answer = await viewer.RequestRemoteControlSession2({
        deviceId,
        sessionId,
        websocketUri: responder,
        targetProcessId: processId,
        targetSystemSession: systemSessionId,
        requireConsent: needsConsent,
        policy: isViewOnly ? lookingOnly : openPolicy,
      })
      refusal = answer.isSuccess ? null : (answer.reason ?? t.control.refused)
    } catch {
      refusal = t.control.noServer
    }
    if (attempt !== this.#attempt) {
      return
    }
    if (refusal === null) {
      this.#sessionId = sessionId
      this.#order({ do: 'connect', uri: requester, protocols: pageSocketProtocols(), sessionId, capture })
    } else if (isRetry && !needsConsent) {
      this.#retryLater()
    } else {
      this.#over(refusal)
    }
  }

  #retryLater() {
    clearTimeout(this.#retryTimer)
    this.#retryTimer = setTimeout(() => void this.#retry(), retryMs)
  }

  #retryNow() {
    if (this.#state.phase.name === 'lost') {
      void this.#retry()
    }
  }

  /** Looks for the desktop again: after a restart of the agent another process serves it. */
  async #retry() {
    clearTimeout(this.#retryTimer)
    const attempt = ++this.#attempt
    const { deviceId, desktop } = this.#options
    const answer =
      liveState().state === 'live'
        ? await viewer.GetActiveDesktopSessions2({ deviceId }).catch(() => undefined)
        : undefined
    if (attempt !== this.#attempt || this.#isStopped) {
      return
    }
    if (answer?.reason === forbidden) {
      this.#over(t.control.forbidden)
      return
    }
    const found = sameDesktop(answer?.value?.sessions ?? [], desktop)
    if (found === 'elsewhose') {
      this.#over(t.control.elsewhose)
      return
    }
    if (!found?.areRemoteControlPermissionsGranted) {
      this.#retryLater()
      return
    }
    this.#options = { ...this.#options, desktop: found }
    void this.#ask(found)
  }

  #take(message: FromStage) {
    switch (message.is) {
      case 'connected':
        this.#update({ phase: { name: 'running' }, inputBlock: 'off', isSilent: false })
        break
      case 'displays':
        this.#update({ displays: message.displays, listedDisplays: message.listed, shownId: message.shownId })
        break
      case 'painted':
        this.#update({ hasPicture: true })
        break
      case 'cursor':
        this.#update({ cursor: message.cursor })
        break
      case 'metrics':
        this.#update({ metrics: message.metrics })
        break
      case 'clipboard':
        this.#options.onClipboard(message.text)
        break
      case 'told':
        this.#tellPerson(message.message)
        break
      case 'input-blocked':
        clearTimeout(this.#blockTimer)
        this.#update({ inputBlock: message.isBlocked ? 'on' : message.isSuccess ? 'off' : 'refused' })
        break
      case 'silent':
        this.#update({ isSilent: message.isSilent })
        break
      case 'ended':
        this.#ended(message.end)
        break
    }
  }

  /** The device's own words: shown as text, and not without end. */
  #tellPerson(message: string) {
    this.#update({ told: { text: message.slice(0, maxTold), at: Date.now() } })
  }

  #ended({ by, reason }: StageEnd) {
    clearTimeout(this.#blockTimer)
    if (by === 'connection') {
      const isNew = this.#state.phase.name !== 'lost'
      if (isNew) {
        const phase: ControlPhase = { name: 'lost', since: Date.now(), why: endTexts.connection(reason) }
        this.#update({ phase, inputBlock: 'off', isSilent: false })
      }
      this.#retryLater()
    } else {
      this.#over(endTexts[by](reason.slice(0, maxTold)))
    }
  }
}
