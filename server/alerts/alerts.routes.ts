import { applianceAlerts } from '../../shared/api/appliance-alerts.ts'
import { holds } from '../rights/rights.ts'
import { implement } from '../surface/implement.ts'
import { acknowledgeAlert, getAlert, listAlerts, snoozeAlert, summarizeAlerts } from './alerts.ts'
import { changeOnCall, readOnCall } from './on-call.ts'
import { presentRule } from './present.ts'
import { previewRule } from './preview.ts'
import { createRule, deleteRule, rulesOf, updateRule } from './rules.ts'
import { listWatches, unwatchDevice, watchDevice } from './watches.ts'

export const applianceAlertRoutes = implement(applianceAlerts, {
  list: (call, { tenantId, query }) => listAlerts(call, tenantId, query),
  summary: (call, { tenantId }) => summarizeAlerts(call, tenantId),
  get: (call, { tenantId, params }) => getAlert(call, tenantId, params.alertId),
  acknowledge: (call, { tenantId, params }) => acknowledgeAlert(call, tenantId, params.alertId),
  snooze: (call, { tenantId, params, body }) => snoozeAlert(call, tenantId, params.alertId, body.minutes),
  async listRules(call, { tenantId }) {
    return {
      items: await Promise.all(rulesOf(call, tenantId).map((rule) => presentRule(call, rule))),
      mayEdit: holds(call.app, call.principal, 'tenant.settings.write', tenantId),
    }
  },
  createRule: async (call, { tenantId, body }) => presentRule(call, await createRule(call, tenantId, body)),
  updateRule: async (call, { tenantId, params, body }) =>
    presentRule(call, await updateRule(call, tenantId, params.ruleId, body)),
  deleteRule: (call, { tenantId, params }) => deleteRule(call, tenantId, params.ruleId),
  previewRule: (call, { tenantId, body }) => previewRule(call, tenantId, body.condition, body.scope),
  watches: (call) => ({ items: listWatches(call) }),
  watch: (call, { device }) => watchDevice(call, device),
  unwatch: (call, { device }) => unwatchDevice(call, device),
  onCall: (call, { tenantId }) => readOnCall(call, tenantId),
  setOnCall: (call, { tenantId, body }) => changeOnCall(call, tenantId, body),
})
