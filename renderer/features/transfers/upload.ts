import { createEvent } from '../../api/event.ts'
import { transferError } from './broken.ts'
import { resumable } from './resumable-upload.ts'
import { FinalFailure, type TransferPart } from './transfer-queue.ts'
import { asForm } from './upload-form.ts'
import type { UploadTarget, UploadWay } from './upload-way.ts'

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
  const part: TransferPart = {
    name: target.name,
    size: file.size,
    async run(progress) {
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
