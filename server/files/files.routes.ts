import { applianceDeviceFiles } from '../../shared/api/appliance-device-files.ts'
import { applianceDeviceUploads } from '../../shared/api/appliance-device-uploads.ts'
import { deviceFileSystemForm } from '../../shared/api/device-file-system-form.ts'
import { deviceFileSystem } from '../../shared/api/device-file-system.ts'
import type { RouteCall } from '../call/call.ts'
import { requireFilesConsent } from '../remote/consent.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { implement } from '../surface/implement.ts'
import { downloadArchive, downloadFile, logContents } from './downloads.ts'
import {
  createDirectory,
  deletePath,
  directoryContents,
  logFiles,
  pathSegments,
  rootDrives,
  subdirectories,
  validatePath,
} from './file-system.ts'
import { fileProperties, setFileMode } from './file-properties.ts'
import { followFile } from './follow-file.ts'
import { runFileOperation } from './file-operations.ts'
import { cancelUpload, sendPiece, uploadState } from './resumable-uploads.ts'
import { sendSmallFiles } from './small-uploads.ts'
import { uploadFile } from './uploads.ts'

/** Makes a handler ask the person at the device where a policy wants it. */
const asking =
  <I extends { device: DeviceState }, R>(work: (call: RouteCall, input: I) => R | Promise<R>) =>
  async (call: RouteCall, input: I): Promise<R> => {
    await requireFilesConsent(call, input.device)
    return work(call, input)
  }

export const deviceFileSystemRoutes = implement(deviceFileSystem, {
  contents: asking((call, { device, body }) => directoryContents(call, device, body.directoryPath)),
  subdirectories: asking((call, { device, body }) => subdirectories(call, device, body.directoryPath)),
  rootDrives: asking((call, { device }) => rootDrives(call, device)),
  pathSegments: asking((call, { device, body }) => pathSegments(call, device, body.targetPath)),
  validatePath: asking((call, { device, body }) => validatePath(call, device, body)),
  createDirectory: asking((call, { device, body }) => createDirectory(call, device, body)),
  upload: asking(async (call, { device, body }) => {
    const fileName = await uploadFile(call, device, body)
    return { message: 'The file was written.', fileName }
  }),
  download: asking((call, { device, query }) => downloadFile(call, device, query.filePath)),
  downloadArchive: asking((call, { device, body }) => downloadArchive(call, device, body)),
  deletePath: asking(async (call, { device, body: { filePath } }) => {
    await deletePath(call, device, filePath)
    return { message: 'The path was deleted.', filePath }
  }),
  logs: (call, { device }) => logFiles(call, device),
  logContents: (call, { device, query }) => logContents(call, device, query.filePath),
})

export const deviceFileSystemFormRoutes = implement(deviceFileSystemForm, {
  downloadArchive: asking((call, { device, body }) => downloadArchive(call, device, body)),
})

export const applianceDeviceFileRoutes = implement(applianceDeviceFiles, {
  facts: asking((call, { device, body }) => fileProperties(call, device, body)),
  setMode: asking((call, { device, body }) => setFileMode(call, device, body)),
  follow: asking((call, { device, query }) => followFile(call, device, query)),
  operate: asking((call, { device, params, body }) => runFileOperation(call, device, params.operationId, body)),
})

export const applianceDeviceUploadRoutes = implement(applianceDeviceUploads, {
  state: asking((call, { device, params, body }) => uploadState(call, device, { ...body, uploadId: params.uploadId })),
  send: asking((call, { device, params, query, body }) =>
    sendPiece(call, device, { ...query, uploadId: params.uploadId }, body),
  ),
  sendSmall: asking((call, { device, body }) => sendSmallFiles(call, device, body)),
  cancel: (call, { device, params, body }) => cancelUpload(call, device, { ...body, uploadId: params.uploadId }),
})
