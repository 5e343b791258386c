import { applianceDeviceUploads } from '../../shared/api/appliance-device-uploads.ts'
import { cancelUpload, sendPiece, uploadState } from '../services/remote/resumable-uploads.ts'
import { implement } from './implement.ts'

export const applianceDeviceUploadRoutes = implement(applianceDeviceUploads, {
  state: (call, { device, params, body }) => uploadState(call, device, { ...body, uploadId: params.uploadId }),
  send: (call, { device, params, query, body }) =>
    sendPiece(call, device, { ...query, uploadId: params.uploadId }, body),
  cancel: (call, { device, params, body }) => cancelUpload(call, device, { ...body, uploadId: params.uploadId }),
})
