import { createEvent } from '../event.ts'
import type { FilePlace } from '../files.ts'
import { transferError } from './broken.ts'
import type { PartProgress, TransferPart } from './transfer-queue.ts'
import { asForm } from './upload-form.ts'
import { inPieces } from './upload-pieces.ts'

export interface UploadTarget extends FilePlace {
  /** Folder on the device. */
  folder: string
  /** Name that the file gets there. */
  name: string
  overwrite: boolean
}

/** How the bytes of one file get to a device. */
export interface UploadWay {
  /** Sends the file, or what is missing of it; false when the device cannot take it this way. */
  send(file: File, target: UploadTarget, progress: PartProgress): Promise<boolean>
  /** Removes what is there of a file that is not wanted any more. */
  discard(target: UploadTarget): void
}

/** A file or a folder has come to this folder of a device. */
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

/** One file on its way to a device. `makeFolder` settles when its folder is there. */
export function uploadPart(file: File, target: UploadTarget, makeFolder: () => Promise<void>) {
  const ways = [inPieces(), asForm()]
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
        throw (await isReadable(file)) ? await transferError(error, progress.signal) : new Error('changed')
      }
    },
  }
  return { part, discard: () => way?.discard(target) }
}
