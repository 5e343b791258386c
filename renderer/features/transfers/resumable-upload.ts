import { applianceDeviceUploads } from '../../../shared/api/appliance-device-uploads.ts'
import { ApiError, buildUrl } from '../../../shared/contract/client.ts'
import { api } from '../../api/http.ts'
import { FileHash } from './file-hash.ts'
import { sendBytes } from './send-bytes.ts'
import type { UploadTarget, UploadWay } from './upload-way.ts'

const nameOf = ({ folder, name }: UploadTarget, fileSize: number) => ({
  targetDirectory: folder,
  fileName: name,
  fileSize,
})

/** Removes the partial file of an upload from the device. */
export function discardUpload(uploadId: string, target: UploadTarget, size: number) {
  const params = { deviceId: target.deviceId, uploadId }
  api.uploads.cancel({ params, body: nameOf(target, size) }).catch(() => undefined)
}

/**
 * Uploads a file as one body, or the part of it that the device does not have, if its agent supports that. Supports
 * empty files and any name, unlike the form.
 */
export function resumable(uploadId: string): UploadWay {
  let size = 0
  /** Whether the device may have a partial file. */
  let isBegun = false
  let hash: FileHash | undefined
  return {
    async send(file, target, { signal, report, check }) {
      const { deviceId, overwrite, ownedBy } = target
      size = file.size
      const body = nameOf(target, size)
      const state = await api.uploads.state({ params: { deviceId, uploadId }, body }, signal)
      if (!state.canResume) {
        return false
      }
      if (state.isDone) {
        return true
      }
      // Checked before the bytes are sent.
      if (state.problem !== undefined && !overwrite) {
        throw new ApiError(409, undefined, state.problem)
      }
      const offset = state.receivedBytes
      report(offset)
      const { method, path } = applianceDeviceUploads.routes.send
      const put = (from: number, to: number, sha256?: string) =>
        sendBytes({
          method,
          url: buildUrl(path, {
            params: { deviceId, uploadId },
            query: { ...body, offset: from, overwrite, sha256, ownedBy },
          }),
          headers: { 'content-type': 'application/octet-stream' },
          body: file.slice(from, to),
          signal,
          onProgress: (bytes) => report(Math.min(from + bytes, to)),
        })
      isBegun = true
      if (offset === 0) {
        await put(0, size)
        return true
      }
      // After a resume the device must verify the whole file, since its parts were sent at different times. The last
      // byte waits for the hash, which is computed while the others are sent.
      const last = Math.max(offset, size - 1)
      const checked = (hash ??= new FileHash(file, signal))
      // A failed hash is dropped, so that a retry computes it again.
      checked.sha256.catch(() => (hash = hash === checked ? undefined : hash))
      try {
        if (offset < last) {
          await put(offset, last)
        }
        // Shown once everything is sent: until then the speed and the remaining time are those of sending.
        checked.onProgress = () => check(checked.bytes < size ? checked.bytes / size : undefined)
        checked.onProgress()
        await put(last, size, await checked.sha256)
      } finally {
        checked.onProgress = () => {}
        check(undefined)
      }
      return true
    },
    discard(target) {
      if (isBegun) {
        discardUpload(uploadId, target, size)
      }
    },
  }
}
