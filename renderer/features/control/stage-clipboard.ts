import type { MessageHandlers } from '../../../shared/remote-control/channel.ts'
import { maxClipboardBytes } from '../../../shared/remote-control/clipboard.ts'
import { PictureParts, sendPicture } from '../../../shared/remote-control/picture-parts.ts'
import type { RemoteControlViewer } from '../../../shared/remote-control/viewer.ts'
import { drawablePngSize, isDrawable } from '../../../shared/picture-size.ts'
import { mostLetters, type ClipboardNews, type ToStage } from './stage-messages.ts'

/** Longest path that the page shows. */
const mostPathLetters = 4_096

type ClipboardMessage = 'ClipboardStatus' | 'ClipboardOffer' | 'ClipboardPicture' | 'ClipboardResult' | 'Folder'

/** Pictures and files of the clipboard between page and device, and folders for files. */
export class StageClipboard {
  readonly #report: (news: ClipboardNews) => void
  /** Offered picture that the page wants; parts of others are ignored. */
  #wanted: number | undefined
  #parts = new PictureParts()

  constructor(report: (news: ClipboardNews) => void) {
    this.#report = report
  }

  exchange(
    order: Extract<ToStage, { do: 'send-picture' | 'request-picture' }>,
    { channel }: Pick<RemoteControlViewer, 'channel'>,
  ): void {
    if (order.do === 'request-picture') {
      this.#wanted = order.offerId
      this.#parts.forget()
      void channel.send('RequestClipboardPicture', { offerId: order.offerId })
    } else {
      void sendPicture(order.contentId, order.picture, (part) => channel.send('ClipboardPicture', part))
    }
  }

  handlers(): MessageHandlers<ClipboardMessage> {
    return {
      ClipboardStatus: (status) => this.#report({ is: 'clipboard-status', ...status }),
      ClipboardOffer: ({ offerId: id, byteCount, width, height, files }) => {
        const picture = { width, height, byteCount }
        if (files.length > 0) {
          const named = files.filter(({ path, size }) => path.length <= mostPathLetters && size >= 0)
          if (named.length > 0) {
            this.#report({ is: 'clipboard-offer', offer: { id, picture: undefined, files: named } })
          }
        } else if (isDrawable(width, height) && byteCount > 0 && byteCount <= maxClipboardBytes) {
          this.#report({ is: 'clipboard-offer', offer: { id, picture, files: [] } })
        }
      },
      ClipboardPicture: (part) => {
        const offerId = part.contentId
        if (offerId === this.#wanted) {
          const picture = this.#add(part)
          if (picture !== undefined) {
            this.#wanted = undefined
            this.#report({ is: 'clipboard-picture', offerId, picture })
          }
        }
      },
      ClipboardResult: ({ contentId, reason }) =>
        this.#report({ is: 'clipboard-result', contentId, reason: reason?.slice(0, mostLetters) ?? null }),
      Folder: ({ purpose, path, reason }) => {
        const isLong = path.length > mostPathLetters
        this.#report({ is: 'folder', purpose, path: isLong ? '' : path, reason: reason?.slice(0, mostLetters) ?? null })
      },
    }
  }

  /**
   * Returns the picture with its last part, and undefined before; null if it is no PNG that a page can draw: checked before
   * decoding (T35).
   */
  #add(part: Parameters<PictureParts['add']>[0]): Blob | null | undefined {
    try {
      const bytes = this.#parts.add(part)
      const isPicture = bytes && drawablePngSize(bytes)
      return bytes && (isPicture ? new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'image/png' }) : null)
    } catch {
      return null
    }
  }
}
