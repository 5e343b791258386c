import { deviceFileSystemForm } from '../../shared/api/device-file-system-form.ts'
import { downloadArchive } from '../services/remote/downloads.ts'
import { implement } from './implement.ts'

export const deviceFileSystemFormRoutes = implement(deviceFileSystemForm, {
  downloadArchive: (context, { params, body }) => downloadArchive(context, params.deviceId, body),
})
