import type RFB from '@novnc/novnc'
import type { RawChannel } from '@novnc/novnc'
import { isDrawable } from '../drawable.ts'

/** How many whole pictures one update may draw. */
const mostPictures = 8

/**
 * noVNC on a channel, for a server that is not trusted (T18): noVNC itself takes every size that it is told, and a few bytes
 * can stand for more pixels than a tab has memory or time for. `onTooMuch` is called before the first of them is drawn; what
 * noVNC does then ends the connection.
 */
export function boundedClient(
  Client: typeof RFB,
  onTooMuch: () => void,
  ...[place, channel, options]: [Element, RawChannel, ConstructorParameters<typeof RFB>[2]]
): RFB {
  let drawn = 0
  const refuse = () => {
    onTooMuch()
    throw new Error('too much to draw')
  }
  class BoundedClient extends Client {
    override _resize(width: number, height: number) {
      // Some begin without a screen.
      if (width > 0 && height > 0 && !isDrawable(width, height)) {
        refuse()
      }
      super._resize(width, height)
    }

    override _framebufferUpdate() {
      if (this._FBU.rects === 0) {
        drawn = 0
      }
      return super._framebufferUpdate()
    }

    override _handleDataRect() {
      const { width, height } = this._FBU
      if (width * height > this._fbWidth * this._fbHeight) {
        refuse()
      }
      return super._handleDataRect()
    }
  }
  const client = new BoundedClient(place, channel, options)
  const display = client._display
  const count = (width: number, height: number) => {
    drawn += Math.min(width, display.width) * Math.min(height, display.height)
    if (drawn > mostPictures * display.width * display.height) {
      refuse()
    }
  }
  const [fillRect, copyImage] = [display.fillRect.bind(display), display.copyImage.bind(display)]
  display.fillRect = (x, y, width, height, ...others) => {
    count(width, height)
    fillRect(x, y, width, height, ...others)
  }
  display.copyImage = (fromX, fromY, x, y, width, height, ...others) => {
    count(width, height)
    copyImage(fromX, fromY, x, y, width, height, ...others)
  }
  return client
}
