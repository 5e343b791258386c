import type { Display, Notice } from '../desktop.ts'
import { type NoticePicture, renderNotice } from '../notice-picture.ts'
import type { Connection } from './connection.ts'

const inputOutput = 1
const zPixmap = 2
const onTop = 0
const selectedEvents = 0x1_00_04
const fullyVisible = 0
/** Two programs that both want to be on top must not fight with all their speed. */
const raiseEveryMs = 1_000
const maxRequestBytes = 200_000
const bytesPerPixel = 4

/** A pixmap with the picture: as the background of a window, the display server draws it again by itself. */
function createPixmap({ client, root, screen }: Connection, { width, height, pixels }: NoticePicture) {
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
  return pixmap
}

/** A window without a window manager: it takes no focus, and stands where it is put. */
function openWindow(
  connection: Connection,
  { bounds }: Display,
  picture: NoticePicture,
  onEnd: () => void,
): () => void {
  const { client, root } = connection
  const { width, height, endX } = picture
  const x = bounds.x + Math.max(0, Math.round((bounds.width - width) / 2))
  const edges = [bounds.y, bounds.y + bounds.height - height]
  const backgroundPixmap = createPixmap(connection, picture)
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
 * Shows `text` at the upper edge of a display, with a part to click on that ends the session. A click on the rest moves
 * it to the lower edge and back, so that nothing stays hidden behind it.
 */
export function showNotice(connection: Connection, display: Display, text: string, onEnd: () => void): Notice {
  let close = () => {}
  let isClosed = false
  const show = async () => {
    const picture = await renderNotice(text)
    if (!isClosed && connection.isOpen) {
      close = openWindow(connection, display, picture, onEnd)
    }
  }
  void show()
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
