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

/** Removes what a device has of an upload. */
export function discardUpload(uploadId: string, target: UploadTarget, size: number) {
  const params = { deviceId: target.deviceId, uploadId }
  api.uploads.cancel({ params, body: nameOf(target, size) }).catch(() => undefined)
}

/** A file from where the device has it, where its agent can go on; empty ones and any name, too, which a form cannot. */
export function inPieces(uploadId: string): UploadWay {
  let size = 0
  /** The device may have a part of it. */
  let isBegun = false
  let hash: FileHash | undefined
  return {
    async send(file, target, { signal, report, check }) {
      const { deviceId, overwrite } = target
      size = file.size
      const body = nameOf(target, size)
      const state = await api.uploads.state({ params: { deviceId, uploadId }, body }, signal)
      if (!state.canResume) {
        return false
      }
      if (state.isDone) {
        return true
      }
      // Told before all bytes have been on their way for nothing.
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
            query: { ...body, offset: from, overwrite, sha256 },
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
      // Parts that were sent at different times are one file only if the device compares the whole. The last byte waits for
      // the hash, which is computed while the others are sent.
      const last = Math.max(offset, size - 1)
      const checked = (hash ??= new FileHash(file, signal))
      // A hash that failed or was aborted would fail each retry, too.
      checked.sha256.catch(() => (hash = hash === checked ? undefined : hash))
      const showCheck = (until: number) => {
        checked.onProgress = () => check(checked.bytes < until ? checked.bytes / until : undefined)
        checked.onProgress()
      }
      try {
        showCheck(offset)
        if (offset < last) {
          await put(offset, last)
        }
        showCheck(size)
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
