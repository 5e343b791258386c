import { deviceFileSystem } from '../../shared/api/device-file-system.ts'
import { downloadArchive, downloadFile, logContents } from '../services/remote/downloads.ts'
import {
  createDirectory,
  deletePath,
  directoryContents,
  logFiles,
  pathSegments,
  rootDrives,
  subdirectories,
  validatePath,
} from '../services/remote/file-system.ts'
import { uploadFile } from '../services/remote/uploads.ts'
import { implement } from './implement.ts'

export const deviceFileSystemRoutes = implement(deviceFileSystem, {
  contents: (context, { body }) => directoryContents(context, body.deviceId, body.directoryPath),
  subdirectories: (context, { body }) => subdirectories(context, body.deviceId, body.directoryPath),
  rootDrives: ({ app }, { body }) => rootDrives(app, body.deviceId),
  pathSegments: ({ app }, { body }) => pathSegments(app, body.deviceId, body.targetPath),
  validatePath: ({ app }, { params, body }) => validatePath(app, params.deviceId, body),
  createDirectory: ({ app }, { params, body }) => createDirectory(app, params.deviceId, body),
  upload: async (context, { params, body }) => {
    const fileName = await uploadFile(context, params.deviceId, body)
    return { message: 'The file was written.', fileName }
  },
  download: (context, { params, query }) => downloadFile(context, params.deviceId, query.filePath),
  downloadArchive: (context, { params, body }) => downloadArchive(context, params.deviceId, body),
  deletePath: async ({ app }, { params, body: { filePath } }) => {
    await deletePath(app, params.deviceId, filePath)
    return { message: 'The path was deleted.', filePath }
  },
  logs: ({ app }, { params }) => logFiles(app, params.deviceId),
  logContents: (context, { params, query }) => logContents(context, params.deviceId, query.filePath),
})
