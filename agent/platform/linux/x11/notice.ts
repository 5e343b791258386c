import type { Display, Notice } from '../../desktop/desktop.ts'
import { type NoticePicture, renderNotice } from '../../desktop/notice-picture.ts'
import type { Connection } from './connection.ts'

const inputOutput = 1
const zPixmap = 2
const onTop = 0
const selectedEvents = 0x1_00_04
const fullyVisible = 0
/** Minimum interval between raises, so that two windows that both want to be on top do not loop. */
const raiseEveryMs = 1_000
const maxRequestBytes = 200_000
const bytesPerPixel = 4
/** Glyph size of the server font `fixed`, in pixels. */
const letterWidth = 6
const letterHeight = 13
const baseline = 17
const maxLetters = 100
const [dark, red, white] = [0x1f_29_37, 0xb9_1c_1c, 0xff_ff_ff]

/** Appearance of the notice window. */
interface Face {
  width: number
  height: number
  /** Left edge of the area where a click ends the session. */
  endX: number
  pixmap: number
}

/** Creates a pixmap of the picture: as window background, the display server repaints the pixmap without a request. */
function createPixmap({ client, root, screen }: Connection, { width, height, endX, pixels }: NoticePicture): Face {
  const [pixmap, gc] = [client.AllocID(), client.AllocID()]
  const stride = width * bytesPerPixel
  client.CreatePixmap(pixmap, root, screen.root_depth, width, height)
  client.CreateGC(gc, pixmap, {})
  const rowsAtOnce = Math.max(1, Math.floor(maxRequestBytes / stride))
  for (let y = 0; y < height; y += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, height - y)
    const part = pixels.subarray(y * stride, (y + rows) * stride)
    client.PutImage(zPixmap, pixmap, gc, width, rows, 0, y, 0, screen.root_depth, part)
  }
  client.FreeGC(gc)
  return { width, height, endX, pixmap }
}

/**
 * Draws with the display server's built-in font, for devices without a font renderer. Non-Latin letters become question
 * marks.
 */
function drawWithServerFont({ client, root, screen }: Connection, text: string, label: string): Face {
  const line = text.replaceAll(/[^ -~\xa0-\xff]/gu, '?').slice(0, maxLetters)
  const endX = (line.length + 4) * letterWidth
  const [width, height] = [endX + (label.length + 4) * letterWidth, 2 * letterHeight]
  const [pixmap, gc, font] = [client.AllocID(), client.AllocID(), client.AllocID()]
  client.CreatePixmap(pixmap, root, screen.root_depth, width, height)
  client.OpenFont(font, 'fixed')
  client.CreateGC(gc, pixmap, { foreground: dark, font })
  client.PolyFillRectangle(pixmap, gc, [0, 0, endX, height])
  client.ChangeGC(gc, { foreground: red })
  client.PolyFillRectangle(pixmap, gc, [endX, 0, width - endX, height])
  client.ChangeGC(gc, { foreground: white, background: dark })
  client.ImageText8(pixmap, gc, 2 * letterWidth, baseline, line)
  client.ChangeGC(gc, { background: red })
  client.ImageText8(pixmap, gc, endX + 2 * letterWidth, baseline, label)
  client.FreeGC(gc)
  client.CloseFont(font)
  return { width, height, endX, pixmap }
}

/** Opens a window that no window manager handles (override-redirect): takes no focus, and keeps its position. */
function openWindow(
  connection: Connection,
  { bounds }: Display,
  { width, height, endX, pixmap: backgroundPixmap }: Face,
  onEnd: () => void,
): () => void {
  const { client, root } = connection
  const x = bounds.x + Math.max(0, Math.round((bounds.width - width) / 2))
  const edges = [bounds.y, bounds.y + bounds.height - height]
  const window = client.AllocID()
  client.CreateWindow(window, root, x, bounds.y, width, height, 0, 0, inputOutput, 0, {
    backgroundPixmap,
    overrideRedirect: 1,
    eventMask: selectedEvents,
  })
  client.FreePixmap(backgroundPixmap)
  client.MapWindow(window)
  const raise = () => client.ConfigureWindow(window, { stackMode: onTop })
  let raising: NodeJS.Timeout | undefined
  const unlisten = connection.listen((event) => {
    if (event.wid !== window) {
      return
    }
    if (event.name === 'ButtonPress') {
      if (event.x >= endX) {
        onEnd()
      } else {
        edges.reverse()
        client.ConfigureWindow(window, { y: edges[0] ?? 0, stackMode: onTop })
      }
    } else if (event.name === 'VisibilityNotify' && event.state !== fullyVisible) {
      raising ??= setTimeout(() => {
        raising = undefined
        raise()
      }, raiseEveryMs).unref()
    }
  })
  return () => {
    clearTimeout(raising)
    unlisten()
    client.DestroyWindow(window)
  }
}

/**
 * Shows `text` at the upper edge of a display, beside `label`; a click on the label ends the sessions. A click
 * elsewhere moves the notice to the other edge, so that the notice hides nothing permanently.
 */
export function showNotice(
  connection: Connection,
  display: Display,
  text: string,
  label: string,
  onEnd: () => void,
  render = renderNotice,
): Notice {
  let close = () => {}
  let isClosed = false
  const show = (draw: () => Face) => {
    if (!isClosed && connection.isOpen) {
      close = openWindow(connection, display, draw(), onEnd)
    }
  }
  void render(text, label).then(
    (picture) => show(() => createPixmap(connection, picture)),
    () => show(() => drawWithServerFont(connection, text, label)),
  )
  return {
    close() {
      isClosed = true
      if (connection.isOpen) {
        close()
      }
      close = () => {}
    },
  }
}
