import type {
  CaptureSettingsDto,
  DeviceMessage,
  DisplayDto,
  ScreenFrame,
} from '../../../shared/remote-control/messages.ts'
import { acksUnread, type MessageHandlers, type MessageSocket } from '../../../shared/remote-control/channel.ts'
import { RemoteControlViewer } from '../../../shared/remote-control/viewer.ts'
import { shownViewers } from './holders.ts'
import { Painter } from './painter.ts'
import { StageClipboard } from './stage-clipboard.ts'
import { StageDisplays } from './stage-displays.ts'
import { StageFigures } from './stage-figures.ts'
import { StageSound } from './stage-sound.ts'
import { canDecodeVideo } from './video-decoding.ts'
import { WholePictures } from './whole-pictures.ts'
import { mostLetters, shortened, type FromStage, type StageEnd, type ToStage } from './stage-messages.ts'

/** Close reason of the relay for an end without a cause. */
const ordinaryEnd = 'Session ended.'
const tickMs = 250
const metricsMs = 1_000
/** Limit for unanswered acks: keys that act later would surprise the user (T33). */
const patienceMs = 3_000
/** Devices send a message at least every 3 s. */
const deadAfterMs = 15_000
const keyFrameAfterMs = 3_000
/** Failures of the browser's decoder after which the device is asked for images only. */
const mostVideoFailures = 2

const clock = {
  monotonic: () => performance.now(),
  after(delayMs: number, run: () => void) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

const socketOf = (socket: WebSocket): MessageSocket => ({
  // Browsers do not report when bytes were sent; the device's acks do.
  send(bytes, onSent) {
    if (socket.readyState === WebSocket.OPEN) {
      socket.send(bytes as Uint8Array<ArrayBuffer>)
    }
    onSent()
  },
  unsentBytes: () => socket.bufferedAmount,
  close: () => socket.close(1000, 'Connection closed.'),
})

/** Asked while the worker loads: the first settings of a session wait for the answer. */
const decodesVideo = canDecodeVideo()

/** Interval in which the page gets the newest message of each kind: a device can send faster than a page renders. */
const flushEveryMs = 20
/** Interval before the first picture, which rendering of the page would delay. */
const firstFlushMs = 500

/** Runs sessions one after the other on the same canvas, which keeps its last picture in between. */
export class Stage {
  readonly #canvas: OffscreenCanvas
  readonly #painter: Painter
  readonly #post: (...messages: FromStage[]) => void
  readonly #pending = new Map<FromStage['is'], FromStage>()
  readonly #clipboard = new StageClipboard((news) => this.#queue(news))
  readonly #sound: StageSound
  #videoFailures = 0
  #capture: CaptureSettingsDto | undefined
  #viewer: RemoteControlViewer | undefined
  #sessionId = ''
  readonly #displays = new StageDisplays()
  readonly #figures = new StageFigures()
  #receivedAt = 0
  #connectedAt = 0
  #hasPicture = false
  #isSilent = false
  #keyFrameAskedAt = Number.NEGATIVE_INFINITY
  #metricsSentAt = 0
  readonly #wholePictures = new WholePictures()

  constructor(canvas: OffscreenCanvas, post: (...messages: FromStage[]) => void) {
    this.#canvas = canvas
    this.#post = post
    this.#sound = new StageSound((news) => this.#queue(news), post)
    this.#painter = new Painter(
      canvas,
      (frames) => this.#drawn(frames),
      () => this.#askForKeyFrame(),
      () => this.#handleVideoFailure(),
    )
    setInterval(() => this.#tick(), tickMs)
  }

  connect({ uri, protocols, sessionId, capture, displayId }: Extract<ToStage, { do: 'connect' }>): void {
    this.close()
    // Drops messages of the previous session, which the page would attribute to the new one.
    this.#pending.clear()
    this.#sessionId = sessionId
    this.#displays.shownId ??= displayId
    this.#hasPicture = false
    this.#isSilent = false
    const socket = new WebSocket(uri, protocols)
    socket.binaryType = 'arraybuffer'
    /** Set if the device sends its reason before it closes. */
    let end: StageEnd | undefined
    const finish = (fallback: StageEnd) => {
      if (this.#viewer === viewer) {
        this.#viewer = undefined
        this.#painter.forget()
        this.#sound.close()
        this.#queue({ is: 'ended', end: end ?? fallback })
        this.#flush()
      }
    }
    const viewer: RemoteControlViewer = new RemoteControlViewer({
      socket: socketOf(socket),
      clock,
      onFrame: (frame) => this.#paint(frame),
      waitingFrames: () => this.#painter.waitingFrames,
      on: this.#handlers((reported) => {
        end = reported
        viewer.channel.end(reported.reason)
      }),
      onEnd: (reason) => finish({ by: reason === acksUnread ? 'unread-acks' : 'connection', reason }),
    })
    this.#viewer = viewer
    socket.addEventListener('open', () => {
      this.#receivedAt = this.#connectedAt = clock.monotonic()
      this.#queue({ is: 'connected' })
      this.setCapture({ capture })
    })
    socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => {
      this.#receivedAt = clock.monotonic()
      this.#figures.received(this.#receivedAt, data.byteLength)
      this.#wholePictures.received(data.byteLength)
      viewer.channel.receive(new Uint8Array(data))
    })
    socket.addEventListener('close', ({ code, reason }) => {
      const isOrdered = code === 1000 && reason !== '' && reason !== ordinaryEnd
      end ??= isOrdered ? { by: 'server', reason } : { by: 'connection', reason: '' }
      viewer.channel.end(reason)
    })
  }

  /** Sends a message; drops it without a connection or while the device is silent. */
  send({ message: { name, payload } }: Extract<ToStage, { do: 'send' }>): void {
    if (this.#viewer && this.#connectedAt > 0 && !this.#isSilent) {
      void this.#viewer.send(name, payload)
    }
  }

  exchangeClipboard(order: Parameters<StageClipboard['exchange']>[0]): void {
    if (this.#viewer && this.#connectedAt > 0) {
      this.#clipboard.exchange(order, this.#viewer)
    }
  }

  setCapture({ capture }: Pick<Extract<ToStage, { do: 'capture' }>, 'capture'>): void {
    this.#capture = capture
    void decodesVideo.then((canDecode) =>
      this.#viewer?.setCapture({ ...capture, acceptsVp8: canDecode && this.#videoFailures < mostVideoFailures }),
    )
  }

  #handleVideoFailure() {
    this.#videoFailures++
    if (this.#videoFailures === mostVideoFailures && this.#capture) {
      this.setCapture({ capture: this.#capture })
    }
  }

  show(displayId: string): void {
    if (this.#displays.sizeOf(displayId) && displayId !== this.#displays.shownId) {
      void this.#viewer?.send('ChangeDisplays', { displayId })
      this.#turnTo(displayId)
    }
  }

  /** Prepares for pictures of another display. */
  #turnTo(displayId: string) {
    const size = this.#displays.sizeOf(displayId)
    if (size && displayId !== this.#displays.shownId) {
      this.#painter.forget()
      this.#resize(displayId, size)
    }
  }

  /** Posts what the canvas shows as a PNG. */
  async shoot(): Promise<void> {
    this.#post({ is: 'shot', picture: await this.#canvas.convertToBlob({ type: 'image/png' }) })
  }

  /** Asks for whole pictures from time to time, at which a recording can be played. */
  setWholePictures(isOn: boolean): void {
    this.#wholePictures.areWanted = isOn
  }

  /** Closes the session without reporting its end to the page. */
  close(): void {
    const viewer = this.#viewer
    this.#viewer = undefined
    this.#connectedAt = 0
    this.#painter.forget()
    this.#sound.close()
    viewer?.close()
  }

  #handlers(
    end: (reported: StageEnd) => void,
  ): MessageHandlers<Exclude<DeviceMessage, 'ScreenRegions' | 'ScreenRegion'>> {
    const isOurs = (sessionId: string) => sessionId === this.#sessionId
    return {
      DisplayData: ({ displays }) => this.#takeDisplays(displays, end),
      CursorChanged: ({ sessionId, ...cursor }) => isOurs(sessionId) && this.#queue({ is: 'cursor', cursor }),
      ClipboardText: ({ sessionId, text }) =>
        isOurs(sessionId) && text !== null && this.#queue({ is: 'clipboard', text }),
      CaptureMetricsChanged: ({ captureMode, currentQuality }) => {
        this.#figures.device = { captureMode: captureMode.slice(0, mostLetters), quality: currentQuality }
      },
      ...this.#clipboard.handlers(),
      ...this.#sound.handlers(),
      ToastNotification: ({ message }) => this.#queueMessage(message),
      BlockInputResult: (result) => this.#queue({ is: 'input-block', ...shortened(result) }),
      PrivacyScreenResult: (result) => this.#queue({ is: 'privacy-screen', ...shortened(result) }),
      DisplayShown: ({ displayId }) => this.#turnTo(displayId),
      DesktopStatus: ({
        blockInputObstacle,
        privacyScreenObstacle,
        isSecureDesktop,
        spansDisplays = false,
        soundObstacle = '',
      }) => {
        this.#displays.canSpan = spansDisplays
        this.#queue({
          is: 'status',
          isSecureDesktop,
          spansDisplays,
          blockInputObstacle: blockInputObstacle?.slice(0, mostLetters) ?? null,
          privacyScreenObstacle: privacyScreenObstacle?.slice(0, mostLetters) ?? null,
          soundObstacle: soundObstacle?.slice(0, mostLetters) ?? null,
        })
      },
      ControlHolders: (listed) => this.#queue({ is: 'holders', viewers: shownViewers(listed) }),
      RemoteControlSessionError: ({ message, isFatal }) =>
        isFatal ? end({ by: 'device', reason: message }) : this.#queueMessage(message),
      SessionDisconnectRequested: () => end({ by: 'person', reason: '' }),
      WindowsSessionEnding: () => end({ by: 'connection', reason: '' }),
    }
  }

  #queueMessage(message: string) {
    this.#queue({ is: 'message', message: message.slice(0, mostLetters) })
  }

  #queue(message: FromStage) {
    if (this.#pending.size === 0) {
      setTimeout(() => this.#flush(), this.#hasPicture ? flushEveryMs : firstFlushMs)
    }
    this.#pending.set(message.is, message)
  }

  #flush() {
    this.#post(...this.#pending.values())
    this.#pending.clear()
  }

  #takeDisplays(listed: readonly DisplayDto[], end: (reported: StageEnd) => void) {
    const first = this.#displays.take(listed)
    if (!first) {
      end({ by: 'device', reason: '' })
      return
    }
    const { shownId } = this.#displays
    const before = shownId === undefined ? undefined : this.#displays.sizeOf(shownId)
    const displayId = before && shownId !== undefined ? shownId : first.displayId
    // A device starts with its primary display, whatever was shown before.
    if (displayId !== first.displayId && !this.#hasPicture) {
      void this.#viewer?.send('ChangeDisplays', { displayId })
    }
    this.#resize(displayId, before ?? first.capturePixelSize)
  }

  /** Resizes the canvas, which clears it; an unchanged size keeps the last picture. */
  #resize(displayId: string, size: { width: number; height: number }) {
    this.#queue(this.#displays.show(displayId, size))
    if (this.#canvas.width !== size.width || this.#canvas.height !== size.height) {
      this.#canvas.width = size.width
      this.#canvas.height = size.height
    }
  }

  #paint(frame: ScreenFrame) {
    if (frame.regions.length > 0 || frame.moves) {
      this.#painter.add(frame)
    }
  }

  #drawn(frames: number) {
    this.#figures.drawn(clock.monotonic(), frames)
    if (!this.#hasPicture && this.#viewer) {
      this.#hasPicture = true
      this.#queue({ is: 'painted' })
      this.#flush()
    }
  }

  #askForKeyFrame() {
    if (clock.monotonic() - this.#keyFrameAskedAt > keyFrameAfterMs) {
      this.#keyFrameAskedAt = clock.monotonic()
      void this.#viewer?.send('RequestKeyFrame', {})
    }
  }

  #tick() {
    const viewer = this.#viewer
    if (!viewer || this.#connectedAt === 0) {
      return
    }
    const now = clock.monotonic()
    if (now - this.#receivedAt > deadAfterMs) {
      viewer.channel.end('', true)
      return
    }
    if (!this.#hasPicture && now - this.#connectedAt > keyFrameAfterMs) {
      this.#askForKeyFrame()
    }
    if (this.#wholePictures.isDue(now)) {
      void viewer.send('RequestKeyFrame', {})
    }
    const isSilent = viewer.channel.silentMs > patienceMs
    if (isSilent !== this.#isSilent) {
      this.#isSilent = isSilent
      this.#queue({ is: 'silent', isSilent })
    }
    if (now - this.#metricsSentAt >= metricsMs) {
      this.#metricsSentAt = now
      const { droppedFrames } = this.#painter
      const { latencyMs } = viewer.channel
      this.#queue({ is: 'metrics', metrics: { droppedFrames, latencyMs, ...this.#figures.at(now) } })
    }
  }
}
