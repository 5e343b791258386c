import { isDrawable, pictureSize } from '../../../shared/picture-size.ts'
import { hex } from '../viewer-kit/use-session-clipboard.ts'

/**
 * Text that stands for the pixels of a picture: browsers encode a picture again when it is put on the clipboard, so its
 * bytes change. Undefined for a picture that a page cannot draw.
 */
export async function pictureKey(picture: Blob): Promise<string | undefined> {
  const size = pictureSize(new Uint8Array(await picture.arrayBuffer()))
  if (!size || !isDrawable(size.width, size.height)) {
    return undefined
  }
  const bitmap = await createImageBitmap(picture)
  const { width, height } = bitmap
  const context = new OffscreenCanvas(width, height).getContext('2d')
  context?.drawImage(bitmap, 0, 0)
  bitmap.close()
  const pixels = context?.getImageData(0, 0, width, height).data
  const digest = pixels && new Uint8Array(await crypto.subtle.digest('SHA-256', pixels))
  return digest && `picture ${width} ${height} ${hex(digest)}`
}
