import { z } from 'zod'
import { dto, fileBytes } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { devicePath } from '../dtos/file-system.ts'
import { deviceId } from '../dtos/references.ts'

const isNotBlank = (path: string) => path.trim() !== ''

/** The archive download as a plain form, whose response a browser saves itself. No newer route replaces this route. */
export const deviceFileSystemForm = defineRoutes('DeviceFileSystemForm', {
  downloadArchive: {
    method: 'POST',
    path: '/api/device-file-system/download-archive/:deviceId/form',
    summary: 'Read files and directories of the device as one zip',
    problems: {
      400: 'The request is wrong, or the device is not online.',
      408: 'The device did not answer in time.',
      413: 'The archive is larger than the server transfers.',
      500: 'The device refused: the detail is its reason.',
    },
    access: { permission: 'device.file-system.transfer-download', on: 'device', at: 'deviceId' },
    tenant: 'claim',
    params: z.object({ deviceId }),
    bodyType: 'form',
    body: dto('DownloadArchiveForm', {
      archiveFileName: z.string().describe('Name of the archive; gets the ending `.zip` where it has none.'),
      targetPaths: z
        .array(z.string())
        .max(10_000)
        .overwrite((paths) => paths.filter(isNotBlank))
        .pipe(z.array(devicePath).min(1))
        .describe('Repeated; blank ones do not count.'),
    }),
    response: fileBytes,
    content: 'stream',
    mediaType: 'application/octet-stream',
    failures: 'text',
  },
})
