import type { App } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { LastingRule } from './rule-mirror.ts'

export function noteRule(app: App, rule: LastingRule, device: DeviceState): void {
  const { alertSignals, activeAlerts, clock } = app
  const { row, lasting } = rule
  const holds = lasting.test(device, app.agentRelease.version)
  if (holds === true) {
    if (activeAlerts.openOf(row.id).has(device.id)) {
      // Another server may have told it.
      alertSignals.pending.get(row.id)?.delete(device.id)
      alertSignals.gone.get(row.id)?.delete(device.id)
    } else if (!alertSignals.pending.get(row.id)?.has(device.id)) {
      alertSignals.begin(row.id, device.id, { since: clock.now(), dueAt: clock.monotonic() + lasting.delayMs })
    }
    return
  }
  alertSignals.pending.get(row.id)?.delete(device.id)
  if (holds === false && activeAlerts.openOf(row.id).has(device.id)) {
    alertSignals.end(row.id, device.id, clock.monotonic(), lasting.holdMs)
  } else {
    alertSignals.gone.get(row.id)?.delete(device.id)
  }
}

/** Compares a device with the rules of its tenant. Called for each heartbeat, so it only reads memory. */
export function noteDeviceForAlerts(app: App, device: DeviceState): void {
  for (const rule of app.alertRules.lastingOf(device.tenantId)) {
    noteRule(app, rule, device)
  }
}
