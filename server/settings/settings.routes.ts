import { applianceServer } from '../../shared/api/appliance-server.ts'
import { publicServerSettings } from '../../shared/api/public-server-settings.ts'
import { userServerSettings } from '../../shared/api/user-server-settings.ts'
import { setDecommission } from './decommission.ts'
import type { Call } from '../call/call.ts'
import { implement } from '../surface/implement.ts'
import { serverLog, serverState } from '../health/server-state.ts'
import { isRegistrationOpen } from '../identity/registration.ts'
import { holds } from '../rights/rights.ts'
import { presentServerSetting, presentServerAlert } from './present.ts'
import { changeServerSettings, settingsInForce } from './server-settings.ts'
import { serverAlert } from '../../shared/api/server-alert.ts'
import { getServerAlert, setServerAlert } from './server-alert.ts'
import { testEmail } from '../../shared/api/test-email.ts'
import { sendTestMail } from '../identity/account-mail.ts'

function listed({ app, principal }: Call) {
  const knowsPaths = holds(app, principal, 'server.telemetry.read')
  return { items: settingsInForce(app).map((setting) => presentServerSetting(setting, { knowsPaths })) }
}

export const applianceServerRoutes = implement(applianceServer, {
  state: (call) => serverState(call),
  log: (call, { query }) => serverLog(call, query.level, query.search),
  settings: (call) => listed(call),
  decommission: async (call, { body }) => {
    await setDecommission(call, body)
    return { isEnabled: call.app.config.serverLifecycle.decommissionServer }
  },
  changeSettings: async (call, { body }) => {
    await changeServerSettings(call, body.changes)
    return listed(call)
  },
})

export const publicServerSettingsRoutes = implement(publicServerSettings, {
  get: async (call) => ({
    isPublicRegistrationEnabled: await isRegistrationOpen(call),
    disableDesktopPreview: call.app.config.appOptions.disableDesktopPreview,
  }),
})

export const userServerSettingRoutes = implement(userServerSettings, {
  fileUploadMaxSize: ({ app }) => ({ maxFileSize: app.config.appOptions.maxFileTransferSize }),
  decommissionStatus: ({ app }) => ({ isEnabled: app.config.serverLifecycle.decommissionServer }),
})

export const serverAlertRoutes = implement(serverAlert, {
  get: async (call) => presentServerAlert(await getServerAlert(call)),
  set: async (call, { body }) => presentServerAlert(await setServerAlert(call, body)),
})

export const testEmailRoutes = implement(testEmail, {
  send: (call) => sendTestMail(call),
})
