import type { FilePlace } from '../../api/files.ts'
import type { PartProgress } from './transfer-queue.ts'

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
