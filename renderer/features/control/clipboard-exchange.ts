import { deferred, type Deferred } from '../../../shared/deferred.ts'
import type { Payload } from '../../../shared/remote-control/messages.ts'
import { folderPurpose } from '../../../shared/remote-control/values.ts'
import * as t from '../../texts.ts'
import { Store } from '../viewer-kit/store.ts'
import type { ClipboardNews, ClipboardOffer, Sent, ToStage } from './stage-messages.ts'

export interface ClipboardState {
  /** The user's choice for this session, which the device enforces. */
  isOn: boolean
  /** Whether the agent knows of this choice; older ones exchange text alone. */
  canSwitch: boolean
  hasPictures: boolean
  hasFiles: boolean
  /** Newest copy at the device that was not taken here yet. */
  offer: ClipboardOffer | undefined
  /** Folder of the desktop for dropped files. */
  dropFolder: string | undefined
}

interface ExchangeDependencies {
  order: (order: ToStage) => void
  send: (message: Sent) => void
}

type Purpose = Payload<'RequestFolder'>['purpose']

/** State of a device that has reported nothing. */
const unknown = { canSwitch: false, hasPictures: false, hasFiles: false, offer: undefined, dropFolder: undefined }

/** Exchanges pictures and files with the clipboard of the device, beside the text of `SessionClipboard`. */
export class ClipboardExchange {
  readonly store = new Store<ClipboardState>({ isOn: true, ...unknown })
  readonly #deps: ExchangeDependencies
  #lastId = 0
  /** Contents sent to the device; resolved with the reason of a failure, or null. */
  readonly #results = new Map<number, Deferred<string | null>>()
  readonly #pictures = new Map<number, Deferred<Blob>>()
  readonly #folders = new Map<Purpose, Deferred<string>>()

  constructor(deps: ExchangeDependencies) {
    this.#deps = deps
  }

  /** Call when a connection has been opened or lost: another one knows nothing of the one before. */
  restart(isOpen: boolean): void {
    this.store.update(unknown)
    const lost = new Error(t.control.clip.lost)
    this.#results.forEach(({ resolve }) => resolve(t.control.clip.lost))
    this.#folders.forEach(({ reject }) => reject(lost))
    this.#forgetPictures(lost)
    this.#results.clear()
    this.#folders.clear()
    if (isOpen && !this.store.state.isOn) {
      this.#toggle()
    }
  }

  setOn(isOn: boolean): void {
    this.store.update({ isOn, offer: undefined })
    this.#toggle()
  }

  dismiss(): void {
    this.store.update({ offer: undefined })
  }

  /** Rejects when the connection is lost. */
  picture(offerId: number): Promise<Blob> {
    const found = this.#pictures.get(offerId) ?? deferred<Blob>()
    if (!this.#pictures.has(offerId)) {
      this.#pictures.set(offerId, found)
      this.#deps.order({ do: 'request-picture', offerId })
    }
    return found.promise
  }

  /** Puts a PNG on the clipboard of the device. Resolves with the reason of a failure, or null. */
  sendPicture(picture: Uint8Array): Promise<string | null> {
    return this.#expectResult((contentId) => this.#deps.order({ do: 'send-picture', contentId, picture }))
  }

  /** Puts files on the clipboard of the device that were uploaded into the folder for pasted files. */
  putFiles(names: readonly string[]): Promise<string | null> {
    return this.#expectResult((contentId) => this.#deps.send({ name: 'ClipboardFiles', payload: { contentId, names } }))
  }

  /** Makes a folder for pasted files. Rejects with the reason. */
  pasteFolder(): Promise<string> {
    return this.#folder(folderPurpose.Clipboard)
  }

  /** Folder of the desktop for dropped files; undefined where the device names none. */
  async dropFolder(): Promise<string | undefined> {
    if (this.store.state.canSwitch && this.store.state.dropFolder === undefined) {
      const dropFolder = await this.#folder(folderPurpose.Drop).catch(() => undefined)
      this.store.update({ dropFolder })
    }
    return this.store.state.dropFolder
  }

  handle(news: ClipboardNews): void {
    switch (news.is) {
      case 'clipboard-status':
        this.store.update({ canSwitch: true, hasPictures: news.hasPictures, hasFiles: news.hasFiles })
        void this.dropFolder()
        break
      case 'clipboard-offer':
        // The device answers for its newest offer only.
        this.#forgetPictures(new Error(t.control.clip.changed))
        this.store.update({ offer: news.offer })
        break
      case 'clipboard-picture':
        this.#takePicture(news.offerId, news.picture)
        break
      case 'clipboard-result':
        this.#results.get(news.contentId)?.resolve(news.reason)
        this.#results.delete(news.contentId)
        break
      case 'folder': {
        const folder = this.#folders.get(news.purpose)
        this.#folders.delete(news.purpose)
        if (news.reason === null && news.path !== '') {
          folder?.resolve(news.path)
        } else {
          folder?.reject(new Error(news.reason ?? t.control.clip.lost))
        }
        break
      }
    }
  }

  #takePicture(offerId: number, picture: Blob | null) {
    const wanted = this.#pictures.get(offerId)
    if (picture) {
      wanted?.resolve(picture)
    } else {
      this.#pictures.delete(offerId)
      wanted?.reject(new Error(t.control.clip.unreadable))
    }
  }

  #forgetPictures(reason: Error) {
    this.#pictures.forEach(({ reject }) => reject(reason))
    this.#pictures.clear()
  }

  #toggle() {
    this.#deps.send({ name: 'ToggleClipboard', payload: { isEnabled: this.store.state.isOn } })
  }

  #expectResult(send: (contentId: number) => void): Promise<string | null> {
    const id = ++this.#lastId
    const result = deferred<string | null>()
    this.#results.set(id, result)
    send(id)
    return result.promise
  }

  #folder(purpose: Purpose): Promise<string> {
    const folder = this.#folders.get(purpose) ?? deferred<string>()
    if (!this.#folders.has(purpose)) {
      this.#folders.set(purpose, folder)
      this.#deps.send({ name: 'RequestFolder', payload: { purpose } })
    }
    return folder.promise
  }
}
