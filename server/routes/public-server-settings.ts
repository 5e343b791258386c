import { publicServerSettings } from '../../shared/api/public-server-settings.ts'
import { isRegistrationOpen } from '../services/people/registration.ts'
import { implement } from './implement.ts'

export const publicServerSettingsRoutes = implement(publicServerSettings, {
  get: async (call) => ({
    isPublicRegistrationEnabled: await isRegistrationOpen(call),
    disableDesktopPreview: call.app.config.appOptions.disableDesktopPreview,
  }),
})
