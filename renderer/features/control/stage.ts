import type { DisplayDto, ScreenFrame } from '../../../shared/remote-control/messages.ts'
import { acksUnread, type MessageHandlers, type MessageSocket } from '../../../shared/remote-control/channel.ts'
import type { DeviceMessage } from '../../../shared/remote-control/messages.ts'
import { Throughput } from '../../../shared/remote-control/throughput.ts'
import { RemoteControlViewer } from '../../../shared/remote-control/viewer.ts'
import { isDrawable } from '../viewer-kit/drawable.ts'
import { Painter } from './painter.ts'
import type { FromStage, StageEnd, ToStage } from './stage-messages.ts'

/** What the relay says when nobody ended the session by order. */
const ordinaryEnd = 'Session ended.'
const tickMs = 250
const metricsMs = 1_000
/** Keys that wait longer for their ack would act when nobody expects it any more (T33). */
const patienceMs = 3_000
/** Devices tell of themselves every 3 s. */
const deadAfterMs = 15_000
const keyFrameAfterMs = 3_000

const clock = {
  monotonic: () => performance.now(),
  after(delayMs: number, run: () => void) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

const socketOf = (socket: WebSocket): MessageSocket => ({
  // Browsers do not tell when bytes have left; the acks of the device do.
  send(bytes, onSent) {
    if (socket.readyState === WebSocket.OPEN) {
      socket.send(bytes as Uint8Array<ArrayBuffer>)
    }
    onSent()
  },
  unsentBytes: () => socket.bufferedAmount,
  close: () => socket.close(1000, 'Connection closed.'),
})

/** Displays that the page offers, and characters of a name or a message that it shows. */
const mostDisplays = 64
const mostLetters = 300
/** Frequency at which the page hears the newest message of each kind: a device can send faster than a page renders. */
const tellEveryMs = 20

/** One session after the other on the same canvas, which keeps its last picture between them. */
export class Stage {
  readonly #canvas: OffscreenCanvas
  readonly #painter: Painter
  readonly #post: (message: FromStage) => void
  readonly #untold = new Map<FromStage['is'], FromStage>()
  #viewer: RemoteControlViewer | undefined
  #sessionId = ''
  #displays: readonly DisplayDto[] = []
  #listed = 0
  #shownId: string | undefined
  readonly #received = new Throughput()
  #heardAt = 0
  #connectedAt = 0
  #hasPicture = false
  #isSilent = false
  #keyFrameAskedAt = Number.NEGATIVE_INFINITY
  #toldMetricsAt = 0
  #device = { captureMode: '', quality: undefined as number | undefined }
  readonly #drawnAt: number[] = []

  constructor(canvas: OffscreenCanvas, tell: (message: FromStage) => void) {
    this.#canvas = canvas
    this.#post = tell
    this.#painter = new Painter(
      canvas,
      (frames) => this.#drawn(frames),
      () => this.#askForKeyFrame(),
    )
    setInterval(() => this.#tick(), tickMs)
  }

  connect({ uri, protocols, sessionId, capture }: Extract<ToStage, { do: 'connect' }>): void {
    this.close()
    // Messages of the previous session are dropped: the page would take them for news of this one.
    this.#untold.clear()
    this.#sessionId = sessionId
    this.#hasPicture = false
    this.#isSilent = false
    const socket = new WebSocket(uri, protocols)
    socket.binaryType = 'arraybuffer'
    /** Said by the device before it closes; otherwise the closing itself is all there is. */
    let end: StageEnd | undefined
    const finish = (fallback: StageEnd) => {
      if (this.#viewer === viewer) {
        this.#viewer = undefined
        this.#painter.forget()
        this.#tell({ is: 'ended', end: end ?? fallback })
        this.#flush()
      }
    }
    const viewer: RemoteControlViewer = new RemoteControlViewer({
      socket: socketOf(socket),
      clock,
      onFrame: (frame) => this.#paint(frame),
      waitingFrames: () => this.#painter.waitingFrames,
      on: this.#handlers((said) => {
        end = said
        viewer.channel.end(said.reason)
      }),
      onEnd: (reason) => finish({ by: reason === acksUnread ? 'unread-acks' : 'connection', reason }),
    })
    this.#viewer = viewer
    socket.addEventListener('open', () => {
      this.#heardAt = this.#connectedAt = clock.monotonic()
      this.#tell({ is: 'connected' })
      void viewer.setCapture(capture)
    })
    socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => {
      this.#heardAt = clock.monotonic()
      this.#received.add(this.#heardAt, data.byteLength)
      viewer.channel.receive(new Uint8Array(data))
    })
    socket.addEventListener('close', ({ code, reason }) => {
      const isOrdered = code === 1000 && reason !== '' && reason !== ordinaryEnd
      end ??= isOrdered ? { by: 'server', reason } : { by: 'connection', reason: '' }
      viewer.channel.end(reason)
    })
  }

  /** What is sent without a connection, or into one that says nothing, is not sent at all. */
  send({ message: { name, payload } }: Extract<ToStage, { do: 'send' }>): void {
    if (this.#viewer && this.#connectedAt > 0 && !this.#isSilent) {
      void this.#viewer.send(name, payload)
    }
  }

  setCapture({ capture }: Extract<ToStage, { do: 'capture' }>): void {
    void this.#viewer?.setCapture(capture)
  }

  show(displayId: string): void {
    const display = this.#displays.find((candidate) => candidate.displayId === displayId)
    if (display && displayId !== this.#shownId) {
      void this.#viewer?.send('ChangeDisplays', { displayId })
      this.#painter.forget()
      this.#resize(display)
      this.#tellDisplays(displayId)
    }
  }

  /** Ends the session without a word to the page. */
  close(): void {
    const viewer = this.#viewer
    this.#viewer = undefined
    this.#connectedAt = 0
    this.#painter.forget()
    viewer?.close()
  }

  #handlers(end: (said: StageEnd) => void): MessageHandlers<Exclude<DeviceMessage, 'ScreenRegions' | 'ScreenRegion'>> {
    const isOurs = (sessionId: string) => sessionId === this.#sessionId
    return {
      DisplayData: ({ displays }) => this.#takeDisplays(displays, end),
      CursorChanged: ({ sessionId, ...cursor }) => isOurs(sessionId) && this.#tell({ is: 'cursor', cursor }),
      ClipboardText: ({ sessionId, text }) =>
        isOurs(sessionId) && text !== null && this.#tell({ is: 'clipboard', text }),
      CaptureMetricsChanged: ({ captureMode, currentQuality }) => {
        this.#device = { captureMode: captureMode.slice(0, mostLetters), quality: currentQuality }
      },
      ToastNotification: ({ message }) => this.#quote(message),
      BlockInputResult: ({ isSuccess, finalState }) =>
        this.#tell({ is: 'input-blocked', isSuccess, isBlocked: finalState }),
      RemoteControlSessionError: ({ message, isFatal }) =>
        isFatal ? end({ by: 'device', reason: message }) : this.#quote(message),
      SessionDisconnectRequested: () => end({ by: 'person', reason: '' }),
      WindowsSessionEnding: () => end({ by: 'connection', reason: '' }),
    }
  }

  #quote(message: string) {
    this.#tell({ is: 'told', message: message.slice(0, mostLetters) })
  }

  #tell(message: FromStage) {
    if (this.#untold.size === 0) {
      setTimeout(() => this.#flush(), tellEveryMs)
    }
    this.#untold.set(message.is, message)
  }

  #flush() {
    this.#untold.forEach((message) => this.#post(message))
    this.#untold.clear()
  }

  #takeDisplays(displays: readonly DisplayDto[], end: (said: StageEnd) => void) {
    this.#listed = displays.length
    this.#displays = displays
      .filter(
        ({ capturePixelSize: { width, height }, displayId }) =>
          isDrawable(width, height) && displayId.length <= mostLetters,
      )
      .slice(0, mostDisplays)
      .map((display) => ({ ...display, name: display.name.slice(0, mostLetters) }))
    const shown =
      this.#displays.find(({ displayId }) => displayId === this.#shownId) ??
      this.#displays.find(({ isPrimary }) => isPrimary) ??
      this.#displays[0]
    if (!shown) {
      end({ by: 'device', reason: '' })
      return
    }
    // A device begins with its primary display, whatever was on screen before the connection broke.
    if (shown.displayId === this.#shownId && !shown.isPrimary && !this.#hasPicture) {
      void this.#viewer?.send('ChangeDisplays', { displayId: shown.displayId })
    }
    this.#resize(shown)
    this.#tellDisplays(shown.displayId)
  }

  #tellDisplays(shownId: string) {
    this.#tell({ is: 'displays', displays: this.#displays, listed: this.#listed, shownId })
  }

  /** A new size empties the canvas: the same one leaves the last picture where it is. */
  #resize({ displayId, capturePixelSize: { width, height } }: DisplayDto) {
    this.#shownId = displayId
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width
      this.#canvas.height = height
    }
  }

  #paint(frame: ScreenFrame) {
    if (frame.regions.length > 0 || frame.moves) {
      this.#painter.add(frame)
    }
  }

  #drawn(frames: number) {
    this.#drawnAt.push(...Array.from({ length: frames }, () => clock.monotonic()))
    if (!this.#hasPicture && this.#viewer) {
      this.#hasPicture = true
      this.#tell({ is: 'painted' })
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
    if (now - this.#heardAt > deadAfterMs) {
      viewer.channel.end('', true)
      return
    }
    if (!this.#hasPicture && now - this.#connectedAt > keyFrameAfterMs) {
      this.#askForKeyFrame()
    }
    const isSilent = viewer.channel.silentMs > patienceMs
    if (isSilent !== this.#isSilent) {
      this.#isSilent = isSilent
      this.#tell({ is: 'silent', isSilent })
    }
    if (now - this.#toldMetricsAt >= metricsMs) {
      this.#toldMetricsAt = now
      this.#tell({ is: 'metrics', metrics: this.#metrics(now, viewer) })
    }
  }

  #metrics(now: number, { channel }: RemoteControlViewer) {
    while ((this.#drawnAt[0] ?? now) < now - 1000) {
      this.#drawnAt.shift()
    }
    return {
      framesPerSecond: this.#drawnAt.length,
      droppedFrames: this.#painter.droppedFrames,
      mbps: this.#received.mbps(now),
      latencyMs: channel.latencyMs,
      ...this.#device,
    }
  }
}
