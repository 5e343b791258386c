import type { App } from '../call/call.ts'

/** Tells the viewers of each tenant whose alerts, rules or watches have changed since the last call to read them again. */
export function pushAlertChanges(app: App, tenants: ReadonlySet<string>): void {
  if (tenants.size === 0) {
    return
  }
  const ids = [...app.hubs.viewer.connected()]
    .filter(({ principal }) => principal.tenantId !== null && tenants.has(principal.tenantId))
    .map(({ connectionId }) => connectionId)
  if (ids.length > 0) {
    void app.hubs.viewer.send(...ids).ReceiveAlertsChange()
  }
}
