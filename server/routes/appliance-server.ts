import { applianceServer } from '../../shared/api/appliance-server.ts'
import type { Call } from '../call.ts'
import { holds } from '../policies/rights.ts'
import { presentServerSetting } from '../presenters/server-setting.ts'
import { setDecommission } from '../services/appliance/decommission.ts'
import { changeServerSettings, settingsInForce } from '../services/appliance/server-settings.ts'
import { serverLog, serverState } from '../services/appliance/server-state.ts'
import { implement } from './implement.ts'

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
