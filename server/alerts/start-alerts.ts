import { dayMs, hourMs } from '../../shared/durations.ts'
import type { App } from '../call/call.ts'
import type { StoredAlert } from './alert-mirror.ts'
import { checkDisks, checkMachines, checkServer, checkSignIns, checkStopped } from './checks.ts'
import { prepareClose, settle } from './close-alerts.ts'
import { openDue } from './open-due.ts'
import { followEvents } from './follow-events.ts'
import { followTenants } from './first-rules.ts'
import { followRules } from './follow-rules.ts'
import { lasts } from './present.ts'
import { followOnCall } from './follow-on-call.ts'
import { ruleMakerOf } from './rights.ts'

/** Interval in which what reports have begun or ended is stored. */
const tickMs = 1_000
const signInsMs = 30_000
const stoppedMs = 30_000
const serverMs = 5 * 60_000
/** Forecasts change once an hour. */
const disksMs = hourMs
/** Time after a start before the server is checked. */
const firstMs = 60_000
/** Time after which an alert about a moment closes by itself. */
const momentMs = 7 * dayMs

/** Stores that subjects have recovered for long enough. */
async function settleGone(app: App): Promise<void> {
  const { alertSignals, clock } = app
  const now = clock.monotonic()
  for (const [ruleId, ofRule] of alertSignals.gone) {
    const due = [...ofRule].filter(([, at]) => at <= now).map(([subject]) => subject)
    if (due.length > 0) {
      await settle(app, ruleId, due)
      due.forEach((subject) => ofRule.delete(subject))
    }
  }
  alertSignals.forgetRecoveries(now)
}

/**
 * Whether nothing looks at the cause of an alert any more: its rule has lost its maker. Reports end the alerts of devices
 * all the same.
 */
function isForsaken(app: App, { row }: StoredAlert): boolean {
  const rule = row.ruleId === null ? undefined : app.alertRules.get(row.ruleId)
  return rule !== undefined && !rule.lasting && lasts(row.kind) && ruleMakerOf(app, rule.row) === undefined
}

/** Why an alert ends: nothing of it is left, as after the deletion of its devices, or its moment is long ago. */
const endOf = (app: App, alert: StoredAlert, now: number) => {
  const { row, subjects } = alert
  return subjects.length === 0 || (lasts(row.kind) && subjects.every(({ goneAt }) => goneAt !== null))
    ? 'gone'
    : !lasts(row.kind) && now - row.openedAt >= momentMs
      ? 'expired'
      : isForsaken(app, alert)
        ? 'rule'
        : undefined
}

async function closeEnded(app: App): Promise<void> {
  const now = app.clock.now()
  const byEnd = Map.groupBy(app.activeAlerts.all, (alert) => endOf(app, alert, now))
  for (const end of ['gone', 'expired', 'rule'] as const) {
    const alerts = byEnd.get(end)
    await (alerts && app.database.write(prepareClose(app, alerts, end)))
  }
}

/** Calls a function once its time has come, and at most once per interval. */
function everyMs({ clock }: App, intervalMs: number, run: () => Promise<void>) {
  let nextAt = clock.monotonic() + Math.min(intervalMs, firstMs)
  return {
    soon: () => void (nextAt = clock.monotonic()),
    async ask() {
      const now = clock.monotonic()
      if (now >= nextAt) {
        nextAt = now + intervalMs
        await run()
      }
    },
  }
}

/** Tells the viewers of each tenant whose alerts, rules or watches have changed since the last call to read them again. */
function pushAlertChanges(app: App, tenants: ReadonlySet<string>): void {
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

/** Opens and closes alerts while the server runs. Returns a function that stops, and waits for what is being stored. */
export async function startAlerts(app: App): Promise<() => Promise<void>> {
  const server = everyMs(app, serverMs, () => checkServer(app))
  const signIns = everyMs(app, signInsMs, () => checkSignIns(app))
  const stopped = everyMs(app, stoppedMs, () => checkStopped(app))
  const disks = everyMs(app, disksMs, () => checkDisks(app))
  const readEvents = await followEvents(app, server.soon)
  const lookForRules = followRules(app)
  let isStopping = false
  const steps: readonly [name: string, run: () => void | Promise<void>][] = [
    ['first rules', followTenants(app, () => isStopping)],
    ['rules', lookForRules],
    ['due', () => openDue(app)],
    ['gone', () => settleGone(app)],
    ['events', readEvents],
    ['machines', () => checkMachines(app)],
    ['disks', disks.ask],
    ['sign-ins', signIns.ask],
    ['stopped', stopped.ask],
    ['server', server.ask],
    ['ended', () => closeEnded(app)],
    ['reminders', followOnCall(app)],
  ]
  let running: Promise<void> | undefined
  const tick = async () => {
    for (const [step, run] of steps) {
      try {
        await (isStopping ? undefined : run())
      } catch (error) {
        app.log.error({ err: error, step }, 'Alerts could not be looked after; retrying.')
      }
    }
    const changed = [app.activeAlerts, app.alertRules].map((mirror) => mirror.takeChanged())
    const watched = [...app.alertWatches.takeChanged()].map((id) => app.fleet.get(id)?.tenantId ?? '')
    pushAlertChanges(app, new Set([...changed.flatMap((tenants) => [...tenants]), ...watched]))
  }
  const wake = () => {
    running ??= tick().finally(() => (running = undefined))
  }
  wake()
  const cancel = app.clock.every(tickMs, wake)
  return async () => {
    isStopping = true
    cancel()
    await running
  }
}
