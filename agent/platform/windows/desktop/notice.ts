import type { Display, Notice } from '../../desktop/desktop.ts'
import { type NoticePicture, renderNotice } from '../../desktop/notice-picture.ts'
import { type Handle, type Out, common } from '../library.ts'
import { bitmapInfo, wingdi } from '../win32/wingdi.ts'
import { winuser } from '../win32/winuser.ts'
import { processWindows, type ProcessWindows } from './process-windows.ts'

const buttonDown = 0x201
const showWithoutFocus = 4
const onTop = -1
/** `ULW_OPAQUE` */
const opaque = 4
/** `SWP_NOSIZE | SWP_NOACTIVATE` */
const moveOnly = 0x1 | 0x10

async function loadApi() {
  const [library, user, gdi] = await Promise.all([common(), winuser(), wingdi()])
  return { ...library, ...user, ...gdi }
}
type Api = Awaited<ReturnType<typeof loadApi>>

/** Gives a layered window its picture, which Windows keeps. */
function paint(api: Api, window: Handle, { width, height, pixels }: NoticePicture, position: { x: number; y: number }) {
  const dc = api.createCompatibleDc(0)
  const bits: Out<unknown> = [null]
  const bitmap = api.createDibSection(dc, bitmapInfo(width, height), 0, bits, 0, 0)
  if (bitmap !== 0) {
    Buffer.from(api.koffi.view(bits[0], pixels.length)).set(pixels)
    const previous = api.selectObject(dc, bitmap)
    api.updateLayeredWindow(window, 0, position, { cx: width, cy: height }, dc, { x: 0, y: 0 }, 0, null, opaque)
    api.selectObject(dc, previous)
    api.deleteObject(bitmap)
  }
  api.deleteDc(dc)
}

function openWindow(api: Api, windows: ProcessWindows, { bounds }: Display, picture: NoticePicture, onEnd: () => void) {
  const { width, height, endX } = picture
  const x = bounds.x + Math.max(0, Math.round((bounds.width - width) / 2))
  const edges = [bounds.y, bounds.y + bounds.height - height]
  const window = windows.createFloating({ x, y: bounds.y, width, height }, ({ message, lParam }) => {
    if (message !== buttonDown) {
      return
    }
    if ((lParam & 0xffff) >= endX) {
      onEnd()
    } else {
      edges.reverse()
      api.setWindowPos(window, onTop, x, edges[0] ?? 0, 0, 0, moveOnly)
    }
  })
  paint(api, window, picture, { x, y: bounds.y })
  api.showWindow(window, showWithoutFocus)
  return window
}

/**
 * Shows `text` at the upper edge of a display, beside `label`; a click on the label ends the sessions. A click
 * elsewhere moves the notice to the other edge, so that the notice hides nothing permanently.
 */
export function showNotice(display: Display, text: string, label: string, onEnd: () => void): Notice {
  let isClosed = false
  let close = () => {}
  const open = async () => {
    const [api, windows, picture] = await Promise.all([loadApi(), processWindows(), renderNotice(text, label)])
    if (!isClosed) {
      const window = openWindow(api, windows, display, picture, onEnd)
      close = () => windows.destroy(window)
    }
  }
  open().catch((error: Error) => process.stderr.write(`The notice is not shown: ${error.message}\n`))
  return {
    close() {
      isClosed = true
      close()
      close = () => {}
    },
  }
}
