import { applianceDeviceUploads } from '../../../shared/api/appliance-device-uploads.ts'
import { ApiError, buildUrl } from '../../../shared/contract/client.ts'
import { api } from '../http.ts'
import { sendBytes } from './send-bytes.ts'
import { sha256Of } from './sha256.ts'
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
  let digest: string | undefined
  return {
    async send(file, target, { signal, report }) {
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
      // Parts that went at different times are one file only if the device compares the whole.
      digest ??= offset > 0 ? await sha256Of(file, signal) : undefined
      const { method, path } = applianceDeviceUploads.routes.send
      const query = { ...body, offset, overwrite, sha256: digest }
      isBegun = true
      await sendBytes({
        method,
        url: buildUrl(path, { params: { deviceId, uploadId }, query }),
        headers: { 'content-type': 'application/octet-stream' },
        body: file.slice(offset),
        signal,
        onProgress: (bytes) => report(Math.min(offset + bytes, size)),
      })
      return true
    },
    discard(target) {
      if (isBegun) {
        discardUpload(uploadId, target, size)
      }
    },
  }
}
