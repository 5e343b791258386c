import type RFB from '@novnc/novnc'
import type { ImageAction, RawChannel } from '@novnc/novnc'
import { isDrawable, pictureSize } from '../../../shared/picture-size.ts'
import { inflateText } from './clipboard-inflate.ts'

/**
 * Limits of what one update may draw, in screens and in pixels. Drawn areas are queued in memory while an earlier
 * picture is decoded.
 */
const mostScreens = 8
const mostPixels = 128 * 1024 * 1024
/** Minimum budget of an update: a cursor can be larger than a small screen. */
const leastBudget = 1024 * 1024
/** Largest cursor, and the minimum cost of a cursor, whose picture becomes text in a style; in pixels. */
const mostCursorPixels = 512 * 512
const leastCursorPixels = 64 * 64

/** Limits for the bytes and segments of an incomplete JPEG, which noVNC collects without a limit. */
const mostJpegBytes = 32 * 1024 * 1024
const mostJpegSegments = 4096

/** Messages before a pause of a frame: many kinds are answered, and events of the page would wait for all of them. */
const mostMessages = 64
const frameMs = 16

const cursors = [-239, 0x57_4d_56_64]
const jpeg = 21
/** Neither offered nor decoded: the size is inside the video only. */
const h264 = 50

const extendedProvide = 0x10_00_00_00

interface Watch {
  /** Called when the VNC server exceeds the drawing budget; the connection closes. */
  onTooMuch: () => void
  /** Called when noVNC cannot parse a message; the connection closes. */
  onBroken: () => void
}

type Display = RFB['_display']

/** Budget of pixels that the VNC server may make this tab draw. */
class DrawBudget {
  readonly #onTooMuch: () => void
  /** Pixels drawn by the current update, and since noVNC last yielded. */
  #drawn = 0
  #drawnSinceYield = 0
  #messagesSinceYield = 0

  constructor(onTooMuch: () => void) {
    this.#onTooMuch = onTooMuch
  }

  reject(): never {
    this.#onTooMuch()
    throw new Error('too much to draw')
  }

  beginUpdate(): void {
    this.#drawn = 0
  }

  /** Counts a complete message. Returns for how long the page should handle other events now; undefined: not at all. */
  endMessage(screenPixels: number): number | undefined {
    this.#messagesSinceYield++
    if (this.#messagesSinceYield >= mostMessages) {
      return frameMs
    }
    return this.#drawnSinceYield > screenPixels ? 0 : undefined
  }

  yielded(): void {
    this.#drawnSinceYield = this.#messagesSinceYield = 0
  }

  count(display: Display, width: number, height: number): void {
    const pixels = width * height
    this.#drawn += pixels
    this.#drawnSinceYield += pixels
    if (this.#drawn > Math.min(Math.max(mostScreens * display.width * display.height, leastBudget), mostPixels)) {
      this.reject()
    }
  }
}

interface BoundedOptions {
  budget: DrawBudget
  onBroken: () => void
  /** Called when noVNC stops reading for at least `ms`, so that the page can handle other events. */
  onYield: (ms: number) => void
}

/** noVNC client that checks the sizes in messages before it acts on them. */
function boundedClass(Client: typeof RFB, { budget, onBroken, onYield }: BoundedOptions) {
  return class BoundedClient extends Client {
    /** Errors are caught here, since noVNC also calls this method itself after a flush. */
    override _handleMessage() {
      try {
        super._handleMessage()
      } catch {
        onBroken()
      }
    }

    override _normalMsg() {
      const isRead = super._normalMsg()
      const pauseMs = isRead ? budget.endMessage(this._fbWidth * this._fbHeight) : undefined
      if (pauseMs !== undefined) {
        // Pauses reading, as during a flush.
        this._flushing = true
        onYield(pauseMs)
      }
      return isRead
    }

    override _resize(width: number, height: number) {
      // VNC servers may start with an empty screen.
      if (width > 0 && height > 0 && !isDrawable(width, height)) {
        budget.reject()
      }
      if (this._display.width > 0) {
        budget.count(this._display, width, height)
      }
      super._resize(width, height)
    }

    override _framebufferUpdate() {
      if (this._FBU.rects === 0) {
        budget.beginUpdate()
      }
      return super._framebufferUpdate()
    }

    override _handleRect() {
      const { width, height, encoding } = this._FBU
      if (cursors.includes(encoding ?? 0) && width * height > mostCursorPixels) {
        budget.reject()
      }
      return super._handleRect()
    }

    override _updateCursor(...cursor: Parameters<RFB['_updateCursor']>) {
      budget.count(this._display, Math.max(leastCursorPixels, cursor[3] * cursor[4]), 1)
      super._updateCursor(...cursor)
    }

    override _handleDataRect() {
      const { width, height, encoding } = this._FBU
      if (width * height > this._fbWidth * this._fbHeight) {
        budget.reject()
      }
      if (!this._decoders[encoding ?? 0]) {
        throw new Error(`unknown encoding ${encoding}`)
      }
      const isRead = super._handleDataRect()
      const segments = (!isRead && this._decoders[jpeg]?._segments) || []
      if (segments.length > mostJpegSegments || segments.reduce((sum, { length }) => sum + length, 0) > mostJpegBytes) {
        budget.reject()
      }
      return isRead
    }

    override _sendEncodings() {
      const { messages } = Client
      const { clientEncodings } = messages
      messages.clientEncodings = (socket, encodings) =>
        clientEncodings(
          socket,
          encodings.filter((encoding) => encoding !== h264),
        )
      super._sendEncodings()
      messages.clientEncodings = clientEncodings
    }

    override _handleServerCutText() {
      const bytes = this._sock.rQpeekBytes(this._sock.rQlen(), false)
      const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const length = bytes.length < 11 ? 0 : -head.getInt32(3)
      if (length < 4 || bytes.length < 7 + length || (head.getUint32(7) & extendedProvide) === 0) {
        return super._handleServerCutText()
      }
      this._sock.rQskipBytes(7 + length)
      void inflateText(bytes.slice(11, 7 + length)).then((text) =>
        this.dispatchEvent(new CustomEvent('clipboard', { detail: { text } })),
      )
      return true
    }
  }
}

/** Counts drawn pixels, and checks pictures before they are decoded. */
function boundDisplay(display: Display, budget: DrawBudget) {
  const countOnScreen = (width: number, height: number) =>
    budget.count(display, Math.min(width, display.width), Math.min(height, display.height))

  const { fillRect, copyImage, blitImage, imageRect } = display
  display.fillRect = (x, y, width, height, ...others) => {
    countOnScreen(width, height)
    fillRect.call(display, x, y, width, height, ...others)
  }
  display.copyImage = (fromX, fromY, x, y, width, height, ...others) => {
    countOnScreen(width, height)
    copyImage.call(display, fromX, fromY, x, y, width, height, ...others)
  }
  display.blitImage = (x, y, width, height, ...others) => {
    countOnScreen(width, height)
    blitImage.call(display, x, y, width, height, ...others)
  }
  display.imageRect = (x, y, width, height, type, bytes) => {
    countOnScreen(width, height)
    const size = pictureSize(bytes)
    if (size?.type !== type || size.width !== width || size.height !== height) {
      return
    }
    imageRect.call(display, x, y, width, height, type, bytes)
    dropUndrawable(display._renderQ.at(-1))
  }
  /** Drops a picture that is broken or rotated by its EXIF orientation: noVNC would wait for it forever. */
  const dropUndrawable = (action: ImageAction | undefined) => {
    const drop = () => {
      if (action && (action.img.width !== action.width || action.img.height !== action.height)) {
        display._renderQ = display._renderQ.filter((other) => other !== action)
        display._scanRenderQ()
      }
    }
    action?.img.addEventListener('load', drop)
    action?.img.addEventListener('error', drop)
  }
}

/**
 * Creates a noVNC client for an untrusted VNC server (T18, T35). noVNC itself accepts all sizes, and a few bytes can
 * stand for more pixels than a tab has memory or time for.
 */
export function boundedClient(
  Client: typeof RFB,
  { onTooMuch, onBroken }: Watch,
  ...[place, channel, options]: [Element, RawChannel, ConstructorParameters<typeof RFB>[2]]
): RFB {
  const budget = new DrawBudget(onTooMuch)
  const yields = new MessageChannel()
  const BoundedClient = boundedClass(Client, {
    budget,
    onBroken() {
      onBroken()
      channel.close()
    },
    onYield(ms) {
      const resume = () => yields.port2.postMessage(undefined)
      // Timers of hidden pages are slow, and the VNC server would be too far ahead.
      if (ms > 0 && !document.hidden) {
        setTimeout(resume, ms)
      } else {
        resume()
      }
    },
  })
  const client = new BoundedClient(place, channel, options)
  delete client._decoders[h264]
  yields.port1.onmessage = () => {
    budget.yielded()
    client._flushing = false
    if (channel.readyState === WebSocket.OPEN && !client._sock.rQwait('message', 1)) {
      client._handleMessage()
    }
  }
  boundDisplay(client._display, budget)
  return client
}
