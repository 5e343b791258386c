import type { FilePlace } from '../../api/files.ts'
import type { PartProgress } from './transfer.ts'

export interface UploadTarget extends FilePlace {
  /** Folder on the device. */
  folder: string
  /** Name on the device. */
  name: string
  overwrite: boolean
}

/** Upload method of a file. */
export interface UploadWay {
  /** Sends the file, or the missing part; false if the device does not support the method. */
  send(file: File, target: UploadTarget, progress: PartProgress): Promise<boolean>
  /** Removes the partial file of a canceled upload. */
  discard(target: UploadTarget): void
}
