import { userServerSettings } from '../../shared/api/user-server-settings.ts'
import { implement } from './implement.ts'

export const userServerSettingRoutes = implement(userServerSettings, {
  fileUploadMaxSize: ({ app }) => ({ maxFileSize: app.config.appOptions.maxFileTransferSize }),
  decommissionStatus: ({ app }) => ({ isEnabled: app.config.serverLifecycle.decommissionServer }),
})
