import { z } from 'zod'
import type { DevicePermission } from '../access.ts'
import { dto, fileBytes, queryFlag } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import {
  devicePath,
  GetDirectoryContentsResponseDto,
  GetLogFilesResponseDto,
  GetRootDrivesRequestDto,
  GetRootDrivesResponseDto,
  GetSubdirectoriesResponseDto,
  PathSegmentsResponseDto,
  ValidateFilePathResponseDto,
} from '../dtos/file-system.ts'
import { deviceId } from '../dtos/references.ts'

const params = z.object({ deviceId })
const onDevice = <const P extends DevicePermission>(permission: P) =>
  ({ permission, on: 'device', at: 'deviceId' }) as const

/** Problems of every route that calls an agent. */
const asking = {
  400: 'The request is wrong, or the device is not online.',
  408: 'The device did not answer in time.',
}
const busy = {
  429: 'You have too many transfers and listings running.',
  503: 'The device or the server has too many transfers and listings running.',
}
const listing = { ...asking, 400: `${asking[400]} Or the device refused: the detail is its reason.` }
const transfer = {
  ...asking,
  ...busy,
  413: 'The file is larger than the server transfers.',
  500: 'The device refused: the detail is its reason.',
}

const directoryPath = z.object({
  deviceId,
  directoryPath: devicePath.describe('Absolute path of the directory to list.'),
})

const DownloadArchiveRequestDto = dto('DownloadArchiveRequestDto', {
  archiveFileName: z.string().describe('Gets the ending `.zip` where it has none.'),
  targetPaths: z
    .array(devicePath)
    .min(1)
    .max(10_000)
    .describe('1 to 10,000 absolute paths; a directory is packed with everything in it.'),
})

/** Files of devices; every result comes from the agent, through this server. */
export const deviceFileSystem = defineRoutes('DeviceFileSystem', {
  contents: {
    method: 'POST',
    path: '/api/v1/device-file-system/contents',
    summary: 'Files and directories in a directory',
    description: 'Large directories are written while the device lists them.',
    problems: { ...listing, ...busy },
    access: onDevice('device.file-system.read'),
    tenant: 'query',
    body: directoryPath.meta({ id: 'GetDirectoryContentsRequestDto' }),
    response: GetDirectoryContentsResponseDto,
    content: 'stream',
  },
  subdirectories: {
    method: 'POST',
    path: '/api/v1/device-file-system/subdirectories',
    summary: 'Directories in a directory',
    problems: { ...listing, ...busy },
    access: onDevice('device.file-system.read'),
    tenant: 'query',
    body: directoryPath.meta({ id: 'GetSubdirectoriesRequestDto' }),
    response: GetSubdirectoriesResponseDto,
    content: 'stream',
  },
  rootDrives: {
    method: 'POST',
    path: '/api/v1/device-file-system/root-drives',
    summary: 'Where the paths of a device begin',
    problems: listing,
    access: onDevice('device.file-system.read'),
    tenant: 'query',
    body: GetRootDrivesRequestDto,
    response: GetRootDrivesResponseDto,
  },
  pathSegments: {
    method: 'POST',
    path: '/api/v1/device-file-system/path-segments',
    summary: 'A path taken apart by the device',
    problems: asking,
    access: onDevice('device.file-system.read'),
    tenant: 'query',
    body: dto('GetPathSegmentsRequestDto', { deviceId, targetPath: devicePath.describe('Absolute path to split.') }),
    response: PathSegmentsResponseDto,
  },
  validatePath: {
    method: 'POST',
    path: '/api/v1/device-file-system/validate-path/:deviceId',
    summary: 'Whether a new file could have this path',
    problems: asking,
    access: onDevice('device.file-system.read'),
    tenant: 'query',
    params,
    body: dto('ValidateFilePathRequestDto', {
      directoryPath: devicePath.describe('Absolute path of the directory that the file would be in.'),
      fileName: devicePath.describe('Name that the file would have; no separators.'),
    }),
    response: ValidateFilePathResponseDto,
  },
  createDirectory: {
    method: 'POST',
    path: '/api/v1/device-file-system/create-directory/:deviceId',
    summary: 'Create a directory',
    problems: listing,
    access: onDevice('device.file-system.write'),
    tenant: 'query',
    params,
    body: dto('CreateDirectoryRequestDto', {
      parentPath: devicePath.describe('Absolute path of an existing directory.'),
      directoryName: devicePath.describe('Name of the new directory; no separators.'),
    }),
  },
  upload: {
    method: 'POST',
    path: '/api/v1/device-file-system/upload/:deviceId',
    summary: 'Write a file to the device',
    description:
      'With `targetSaveDirectory` and `overwrite` before `file`, the file goes to the device while it arrives; ' +
      'otherwise when it is here as a whole.',
    problems: {
      ...transfer,
      400: `${asking[400]} Or the body is no multipart form.`,
      429: 'Your other uploads take the room for forms whose fields follow the file: send the fields before it.',
      503: 'The server has no room for the file: send the fields before it.',
    },
    access: onDevice('device.file-system.transfer-upload'),
    tenant: 'query',
    params,
    bodyType: 'multipart',
    body: dto('UploadFileRequestForm', {
      targetSaveDirectory: devicePath.describe('Absolute path of an existing directory on the device.'),
      overwrite: queryFlag.default(false).describe('Replace a file of the same name.'),
      file: fileBytes.describe('Not empty; its name is the name on the device.'),
    }),
    response: dto('FileUploadResponseDto', {
      message: z.string().describe('Confirmation for people, in English.'),
      fileName: z.string().describe('Name of the file on the device.'),
    }),
  },
  download: {
    method: 'GET',
    path: '/api/v1/device-file-system/download/:deviceId',
    summary: 'Read a file of the device; a directory comes as a zip',
    problems: transfer,
    access: onDevice('device.file-system.transfer-download'),
    tenant: 'query',
    params,
    query: z.object({ filePath: devicePath.describe('Absolute path of the file; a directory is sent as a zip.') }),
    response: fileBytes,
    content: 'stream',
    mediaType: 'application/octet-stream',
  },
  downloadArchive: {
    method: 'POST',
    path: '/api/v1/device-file-system/download-archive/:deviceId',
    summary: 'Read files and directories of the device as one zip',
    problems: transfer,
    access: onDevice('device.file-system.transfer-download'),
    tenant: 'query',
    params,
    body: DownloadArchiveRequestDto,
    response: fileBytes,
    content: 'stream',
    mediaType: 'application/octet-stream',
  },
  deletePath: {
    method: 'DELETE',
    path: '/api/v1/device-file-system/delete-path/:deviceId',
    summary: 'Delete a file, or a directory with all that is in it',
    problems: listing,
    access: onDevice('device.file-system.delete'),
    tenant: 'query',
    params,
    body: dto('FileDeleteRequestDto', {
      filePath: devicePath.describe('Absolute path to delete; a directory is deleted with everything in it.'),
    }),
    response: dto('FileDeleteResponseDto', {
      message: z.string().describe('Confirmation for people, in English.'),
      filePath: z.string().describe('The path that was deleted.'),
    }),
  },
  logs: {
    method: 'GET',
    path: '/api/v1/device-file-system/logs/:deviceId',
    summary: 'Log files that the agent offers',
    problems: { ...asking, 500: transfer[500] },
    access: onDevice('device.logs.read'),
    tenant: 'query',
    params,
    response: GetLogFilesResponseDto,
  },
  logContents: {
    method: 'GET',
    path: '/api/v1/device-file-system/logs/:deviceId/contents',
    summary: 'Text of one log file',
    description: 'Only of the files that the agent lists as log files.',
    problems: transfer,
    access: onDevice('device.logs.read'),
    tenant: 'query',
    params,
    query: z.object({ filePath: devicePath.describe('Absolute path of a listed log file.') }),
    response: fileBytes,
    content: 'stream',
    mediaType: 'text/plain; charset=utf-8',
  },
})
