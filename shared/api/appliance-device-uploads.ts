import { z } from 'zod'
import { fileBytes, id, queryFlag } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { devicePath, ownedBy, sha256, UploadNameDto, UploadStateDto } from '../dtos/file-system.ts'
import { maxSmallFileBytes, maxSmallFiles, SmallFilesResultDto } from '../dtos/file-messages.ts'
import { deviceId } from '../dtos/references.ts'

const params = z.object({ deviceId, uploadId: id.describe('Chosen by the client for each upload.') })
const access = { permission: 'device.file-system.transfer-upload', on: 'device', at: 'deviceId' } as const

const problems = {
  400: 'The request is wrong, or the device is not online.',
  408: 'The device did not answer in time.',
}
const busy = {
  429: 'You have too many transfers and listings running.',
  503: 'The device or the server has too many transfers and listings running.',
}
const byteCount = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

/** Resumable uploads. */
export const applianceDeviceUploads = defineRoutes('DeviceUploads', {
  state: {
    method: 'POST',
    path: '/api/appliance/v1/devices/:deviceId/uploads/:uploadId/state',
    summary: 'How much of an upload the device has',
    description:
      'The client chooses the id. An upload is known by its id, folder, name and size, and to whoever began it; anything ' +
      'else is an upload of which nothing is there yet.',
    problems,
    access,
    tenant: 'none',
    params,
    body: UploadNameDto,
    response: UploadStateDto,
  },
  send: {
    method: 'PUT',
    path: '/api/appliance/v1/devices/:deviceId/uploads/:uploadId',
    summary: 'Send bytes of a file from an offset; the file gets its name with the last bytes',
    description:
      'Any number of bytes up to the end of the file. The offset may be lower than the bytes that the device has, and not ' +
      'higher. A newer request for the same upload ends an older one. After a failure, the state has the offset to resume at.',
    problems: {
      ...problems,
      ...busy,
      409: 'The device rejected the bytes, cannot resume uploads, or has less of the file: the detail says which.',
      413: 'The file is larger than the server transfers.',
    },
    access,
    tenant: 'none',
    params,
    query: z.object({
      targetDirectory: devicePath.describe('Absolute path of a directory on the device.'),
      fileName: devicePath.describe('Name that the file gets there; no separators.'),
      fileSize: byteCount.describe("Bytes of the whole file; at most the server's transfer limit."),
      offset: byteCount
        .default(0)
        .describe('Position in the file of the first byte of this body; at most `receivedBytes` of the state.'),
      overwrite: queryFlag.default(false).describe('Replace a file of the same name.'),
      sha256: sha256
        .optional()
        .describe(
          'Of the whole file: compared before it gets its name. Required with the last bytes unless all are sent at once.',
        ),
      ownedBy: ownedBy.optional(),
    }),
    bodyType: 'bytes',
    body: fileBytes,
    response: UploadStateDto,
  },
  sendSmall: {
    method: 'POST',
    path: '/api/appliance/v1/devices/:deviceId/small-uploads',
    summary: 'Send several small files at once',
    description:
      `The body begins with four bytes (big-endian), the length of the JSON that follows: \`{ "files": [{ "targetDirectory", ` +
      '"fileName", "fileSize", "sha256", "overwrite", "isFolder" }], "ownedBy" }`. Then come the bytes of the files, in that order. ' +
      `At most ${maxSmallFiles} files with ${maxSmallFileBytes / 1024 / 1024} MiB in all. Each file is written or not; ` +
      'after a lost connection the same request can be sent again: files that are there count as written.',
    problems: {
      ...problems,
      ...busy,
      409: 'The agent of the device is of another make, or too old.',
      413: 'A file is larger than the server transfers.',
    },
    access,
    tenant: 'none',
    params: z.object({ deviceId }),
    bodyType: 'bytes',
    body: fileBytes,
    response: SmallFilesResultDto,
  },
  cancel: {
    method: 'POST',
    path: '/api/appliance/v1/devices/:deviceId/uploads/:uploadId/cancel',
    summary: 'End an upload, and remove what the device has of it',
    problems,
    access,
    tenant: 'none',
    params,
    body: UploadNameDto,
  },
})
