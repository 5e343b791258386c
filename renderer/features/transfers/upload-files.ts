import { deferred } from '../../../shared/deferred.ts'
import type { FilePlace } from '../../api/files.ts'
import { newId } from '../../api/new-id.ts'
import * as t from '../../texts.ts'
import { BrokenOff } from './transfer.ts'
import { transfers } from './transfers.ts'
import { uploadPart } from './upload.ts'

interface FilesToUpload {
  place: FilePlace
  deviceName: string
  /** Existing folder on the device. */
  folder: string
  files: readonly File[]
}

/**
 * Uploads files as one transfer, which a reload of the page ends. Resolves when all of them have arrived; rejects when one
 * failed or the user canceled.
 */
export function uploadFiles({ place, deviceName, folder, files }: FilesToUpload): Promise<void> {
  const { promise, resolve, reject } = deferred<void>()
  let left = files.length
  const uploads = files.map((file) => {
    const { part, discard } = uploadPart(
      file,
      { ...place, folder, name: file.name, overwrite: false },
      () => Promise.resolve(),
      newId(),
    )
    const run: typeof part.run = async (progress) => {
      try {
        await part.run(progress)
      } catch (error) {
        if (!(error instanceof BrokenOff)) {
          reject(error)
        }
        throw error
      }
      left--
      if (left === 0) {
        resolve()
      }
    }
    return { part: { ...part, run }, discard }
  })
  transfers.add({
    kind: 'upload',
    deviceId: place.deviceId,
    deviceName,
    name: files.length === 1 ? (files[0]?.name ?? '') : t.files.items(files.length),
    folder,
    parts: uploads.map(({ part }) => part),
    onCanceled() {
      uploads.forEach(({ discard }) => discard())
      reject(new Error(t.files.transfers.canceled))
    },
  })
  return promise
}
