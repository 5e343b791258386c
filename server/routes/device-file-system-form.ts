import { deviceFileSystemForm } from '../../shared/api/device-file-system-form.ts'
import { downloadArchive } from '../services/remote/downloads.ts'
import { implement } from './implement.ts'

export const deviceFileSystemFormRoutes = implement(deviceFileSystemForm, {
  downloadArchive: (call, { device, body }) => downloadArchive(call, device, body),
})
