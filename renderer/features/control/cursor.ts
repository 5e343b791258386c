import { pointerCursor, type PointerCursor } from '../../../shared/remote-control/values.ts'
import { pictureSize } from '../../../shared/picture-size.ts'
import type { CursorShape } from './stage-messages.ts'

const shapes: Readonly<Record<PointerCursor, string>> = {
  [pointerCursor.Unknown]: 'default',
  [pointerCursor.NormalArrow]: 'default',
  [pointerCursor.Ibeam]: 'text',
  [pointerCursor.SizeNs]: 'ns-resize',
  [pointerCursor.SizeWe]: 'ew-resize',
  [pointerCursor.SizeNwse]: 'nwse-resize',
  [pointerCursor.SizeNesw]: 'nesw-resize',
  [pointerCursor.Wait]: 'wait',
  [pointerCursor.Hand]: 'pointer',
  [pointerCursor.Custom]: 'default',
}

const maxLength = 64 * 1024
/** Largest cursor side that browsers support, in pixels. */
const maxSide = 128

/** Whether the image header describes a PNG small enough for a cursor (T35). */
function isSmallPng(base64: string) {
  const header = atob(base64.slice(0, 64))
  const size = pictureSize(Uint8Array.from(header, (letter) => letter.charCodeAt(0)))
  return size?.type === 'image/png' && Math.max(size.width, size.height) <= maxSide
}

/** CSS cursor for a cursor shape of the device. Invalid images become the arrow, since the text goes into a style. */
export function cursorOf(shape: CursorShape | undefined): string {
  const {
    cursor = pointerCursor.NormalArrow,
    customCursorBase64Png: png = null,
    xHotspot = 0,
    yHotspot = 0,
  } = shape ?? {}
  const isText =
    cursor === pointerCursor.Custom &&
    png !== null &&
    png.length <= maxLength &&
    png.length % 4 === 0 &&
    /^[\d+/A-Za-z]+={0,2}$/.test(png)
  const isInside = [xHotspot, yHotspot].every((at) => at >= 0 && at < maxSide)
  return isText && isInside && isSmallPng(png)
    ? `url(data:image/png;base64,${png}) ${xHotspot} ${yHotspot}, auto`
    : shapes[cursor]
}
