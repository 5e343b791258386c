import { createEvent } from '../../api/create-event.ts'
import { transferError } from './transfer-error.ts'
import { resumable } from './resumable-upload.ts'
import { FinalFailure, type PartProgress } from './transfer.ts'
import type { UploadTarget, UploadWay } from './upload-way.ts'
import { deviceFileSystem } from '../../../shared/api/device-file-system.ts'
import { ApiError, buildUrl } from '../../../shared/contract/client.ts'
import { sendBytes } from './send-bytes.ts'

/** Uploads a file as a form, always from the beginning. Every agent supports it. */
const asForm = (): UploadWay => ({
  async send(file, { deviceId, tenantId, ownedBy, folder, name, overwrite }, { signal, report }) {
    if (ownedBy !== undefined) {
      // A form cannot bind the file to a user.
      throw new ApiError(400, undefined, 'otherAgent')
    }
    // Browsers escape these characters as %22 etc., which cannot be told apart from the same text in a name.
    if (/["\r\n]/.test(name)) {
      throw new ApiError(400, undefined, 'quotes')
    }
    const form = new FormData()
    form.append('targetSaveDirectory', folder)
    form.append('overwrite', String(overwrite))
    // The file is the last field, so that the server can stream it to the device.
    form.append('file', file, name)
    const { method, path } = deviceFileSystem.routes.upload
    report(0)
    await sendBytes({
      method,
      url: buildUrl(path, { params: { deviceId }, tenantId }),
      body: form,
      signal,
      onProgress: (bytes) => report(Math.min(bytes, file.size)),
    })
    return true
  },
  discard() {},
})

/** Emitted when a file or folder has arrived in a folder of a device. */
const arrivals = createEvent<{ deviceId: string; folder: string }>()
export const onArrival = arrivals.on
export const arrived = arrivals.emit

/** Whether the file can still be read on this computer. */
const isReadable = (file: File) =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

/** Part that uploads one file. `makeFolder` settles when the folder exists. */
export function uploadPart(file: File, target: UploadTarget, makeFolder: () => Promise<void>, uploadId: string) {
  const ways = [resumable(uploadId), asForm()]
  let way: UploadWay | undefined
  const part = {
    name: target.name,
    // Read once: browsers ask the disk each time.
    size: file.size,
    async run(progress: PartProgress) {
      try {
        await makeFolder()
        for (way of ways) {
          if (await way.send(file, target, progress)) {
            break
          }
        }
        arrived(target)
      } catch (error) {
        throw (await isReadable(file)) ? await transferError(error, progress.signal) : new FinalFailure('changed')
      }
    },
  }
  return { part, discard: () => way?.discard(target) }
}
