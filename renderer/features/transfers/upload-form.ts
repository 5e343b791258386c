import { deviceFileSystem } from '../../../shared/api/device-file-system.ts'
import { ApiError, buildUrl } from '../../../shared/contract/client.ts'
import { sendBytes } from './send-bytes.ts'
import type { UploadWay } from './upload-way.ts'

/** Uploads a file as a form, always from the beginning. Every agent supports it. */
export const asForm = (): UploadWay => ({
  async send(file, { deviceId, tenantId, folder, name, overwrite }, { signal, report }) {
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
