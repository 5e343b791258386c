import { desktopPreview } from '../../shared/api/desktop-preview.ts'
import { previewDesktop } from '../services/remote/desktop-preview.ts'
import { implement } from './implement.ts'

export const desktopPreviewRoutes = implement(desktopPreview, {
  get: (call, { device, params }) => previewDesktop(call, device, params.targetProcessId),
})
