import { maxClipboardBytes, maxClipboardFiles } from '../../../shared/remote-control/clipboard.ts'
import type { DevicePermission } from '../../../shared/access.ts'
import type { FilePlace } from '../../api/files.ts'
import * as t from '../../texts.ts'
import { uploadFiles } from '../transfers/upload-files.ts'
import type { SessionClipboard } from '../viewer-kit/session-clipboard.ts'
import type { ClipboardExchange } from './clipboard-exchange.ts'
import { pictureKey } from './picture-key.ts'

interface SendingDependencies {
  exchange: ClipboardExchange | undefined
  clipboard: SessionClipboard
  place: FilePlace
  deviceName: string
  can: (permission: DevicePermission) => boolean
  onNote: (note: string) => void
}

/** Functions that put pictures and files on the clipboard of the device; each returns whether they are there. */
export function newSending({ exchange, clipboard, place, deviceName, can, onNote }: SendingDependencies) {
  return {
    async picture(picture: Blob, isRequested: boolean): Promise<boolean> {
      const key = picture.size > maxClipboardBytes ? undefined : await pictureKey(picture)
      if (key === undefined) {
        onNote(t.viewer.clipboardTooLong(clipboard.options.limit))
        return false
      }
      const sharing = await clipboard.scope.outgoing(key, isRequested)
      if (sharing === 'foreign') {
        onNote(t.control.clip.foreignPicture)
      }
      if (sharing !== 'share' || !exchange) {
        return true
      }
      onNote(t.control.clip.sendingPicture)
      const reason = await exchange.sendPicture(new Uint8Array(await picture.arrayBuffer()))
      onNote(reason === null ? t.viewer.clipboardSent : t.control.deviceSays(reason))
      if (reason !== null) {
        clipboard.forget()
      }
      return reason === null
    },
    async files(files: readonly File[]): Promise<boolean> {
      const bytes = files.reduce((total, { size }) => total + size, 0)
      if (place.ownedBy === '') {
        onNote(t.control.clip.noFiles)
      } else if (!can('device.file-system.transfer-upload')) {
        onNote(t.files.sendDrop.refused)
      } else if (files.length > maxClipboardFiles) {
        onNote(t.control.clip.tooManyFiles(maxClipboardFiles))
      } else if (bytes > maxClipboardBytes) {
        onNote(t.control.clip.filesTooLarge(clipboard.options.limit))
      } else if (exchange) {
        const folder = await exchange.pasteFolder()
        await uploadFiles({ place, deviceName, folder, files })
        const reason = await exchange.putFiles(files.map(({ name }) => name))
        onNote(reason === null ? t.control.clip.filesSent(files.length) : t.control.deviceSays(reason))
        return reason === null
      }
      return false
    },
  }
}
