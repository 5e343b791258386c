import { clipboardLimitText, maxClipboardBytes } from './clipboard.ts'
import type { Payload } from './messages.ts'

/** Small, so that input and frames are sent between two parts. */
const partBytes = 64 * 1024

/** Sends a picture in parts, each when the one before was sent; ends early when `send` resolves with false. */
export async function sendPicture(
  contentId: number,
  picture: Uint8Array,
  send: (part: Payload<'ClipboardPicture'>) => Promise<boolean>,
): Promise<boolean> {
  for (let at = 0; at < picture.length; at += partBytes) {
    const part = picture.subarray(at, at + partBytes)
    if (!(await send({ contentId, byteCount: picture.length, part }))) {
      return false
    }
  }
  return true
}

/** Collects the parts of a picture; its size is checked before a part is stored (T35). */
export class PictureParts {
  #contentId: number | undefined
  #bytes = new Uint8Array()
  #received = 0

  /** Returns the picture with its last part. Throws where the picture is too large. */
  add({ contentId, byteCount, part }: Payload<'ClipboardPicture'>): Uint8Array | undefined {
    if (contentId !== this.#contentId) {
      this.forget()
      if (byteCount <= 0 || byteCount > maxClipboardBytes) {
        throw new Error(`This picture is ${clipboardLimitText}.`)
      }
      this.#contentId = contentId
      this.#bytes = new Uint8Array(byteCount)
    }
    if (part.length > this.#bytes.length - this.#received) {
      this.forget()
      throw new Error('This picture was damaged on its way.')
    }
    this.#bytes.set(part, this.#received)
    this.#received += part.length
    if (this.#received < this.#bytes.length) {
      return undefined
    }
    const whole = this.#bytes
    this.forget()
    return whole
  }

  forget(): void {
    this.#contentId = undefined
    this.#bytes = new Uint8Array()
    this.#received = 0
  }
}
