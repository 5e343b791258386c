import { deviceFileSystem } from '../../../shared/api/device-file-system.ts'
import { ApiError, buildUrl } from '../../../shared/contract/client.ts'
import { sendBytes } from './send-bytes.ts'
import type { UploadWay } from './upload-way.ts'

/** A file as a form, from its beginning each time: every agent can take it. */
export const asForm = (): UploadWay => ({
  async send(file, { deviceId, tenantId, folder, name, overwrite }, { signal, report }) {
    // A browser writes them as %22 and the like, and nobody can tell that from the same letters in a name.
    if (/["\r\n]/.test(name)) {
      throw new ApiError(400, undefined, 'quotes')
    }
    const form = new FormData()
    form.append('targetSaveDirectory', folder)
    form.append('overwrite', String(overwrite))
    // Last: then the file goes to the device while it arrives.
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
