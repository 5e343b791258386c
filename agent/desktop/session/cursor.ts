import sharp from 'sharp'
import type { Payload } from '../../../shared/remote-control/messages.ts'
import { pointerCursor } from '../../../shared/remote-control/values.ts'
import type { Cursor } from '../../platform/desktop/desktop.ts'

/** Maximum cursor size that browsers display. */
const maxSize = 128

/** Builds the message for the pointer's shape; images that browsers cannot display are sent as unknown. */
export async function cursorMessage({ shape, image }: Cursor, sessionId: string): Promise<Payload<'CursorChanged'>> {
  if (shape !== pointerCursor.Custom || !image || image.width > maxSize || image.height > maxSize) {
    const cursor = shape === pointerCursor.Custom ? pointerCursor.Unknown : shape
    return { cursor, customCursorBase64Png: null, xHotspot: 0, yHotspot: 0, sessionId }
  }
  const { width, height, rgba, hotspotX, hotspotY } = image
  const png = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer()
  return {
    cursor: shape,
    customCursorBase64Png: png.toString('base64'),
    xHotspot: hotspotX,
    yHotspot: hotspotY,
    sessionId,
  }
}
