import { pointerCursor, type PointerCursor } from '../../../../shared/remote-control/values.ts'
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
const maxHotspot = 128

/** The CSS cursor for a shape of the device. What is no picture stays the arrow: the text goes into a style. */
export function cursorOf(shape: CursorShape | undefined): string {
  const {
    cursor = pointerCursor.NormalArrow,
    customCursorBase64Png: png = null,
    xHotspot = 0,
    yHotspot = 0,
  } = shape ?? {}
  const isPicture =
    cursor === pointerCursor.Custom && png !== null && png.length <= maxLength && /^[\d+/A-Za-z]+={0,2}$/.test(png)
  const isInside = [xHotspot, yHotspot].every((at) => at >= 0 && at < maxHotspot)
  return isPicture && isInside ? `url(data:image/png;base64,${png}) ${xHotspot} ${yHotspot}, auto` : shapes[cursor]
}
