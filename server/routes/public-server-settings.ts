import { publicServerSettings } from '../../shared/api/public-server-settings.ts'
import { isRegistrationOpen } from '../services/people/users.ts'
import { implement } from './implement.ts'

export const publicServerSettingsRoutes = implement(publicServerSettings, {
  get: async ({ app }) => ({
    isPublicRegistrationEnabled: await isRegistrationOpen(app),
    disableDesktopPreview: app.config.appOptions.disableDesktopPreview,
  }),
})
