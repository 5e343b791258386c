import { weekMs } from '../../shared/durations.ts'
import type { AlertCondition } from '../../shared/dtos/alert-rule.ts'
import { isRecentFailure } from '../audit/indexed-conditions.ts'
import type { Call } from '../call/call.ts'
import { maySee } from '../events/rights.ts'
import type { ProgramEventRow } from '../events/tables.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { inSlices } from '../ground/clock.ts'
import { alertsSql, readAlert, type AlertWithSubjects } from './alert-mirror.ts'
import { failedSignInKinds, failuresDetail } from './checks.ts'
import { isMoment } from './follow-events.ts'
import { maxRows, nameOf, type Found, type Past } from './past-states.ts'
import { visibleSubjects } from './rights.ts'

/** Events that a condition waits for, of those that the caller may see. */
export async function moments(
  { app, principal }: Call,
  tenantId: string,
  condition: AlertCondition,
  isIn: (device: DeviceState) => boolean,
): Promise<Past> {
  const afterId = app.events.lastId - 10 * maxRows
  const [first] = await app.database.all<{ id: number; at: number }>(
    'SELECT id, at FROM program_events WHERE id > ? ORDER BY id LIMIT 1',
    [afterId],
  )
  // Events of busy tenants may push out those of a week.
  const isWhole = app.events.firstId > afterId || (first?.at ?? 0) < app.clock.now() - weekMs
  const from = isWhole ? app.clock.now() - weekMs : first!.at
  const rows = await app.database.all<ProgramEventRow>(
    `SELECT * FROM program_events WHERE id > ? AND at >= ? AND tenantId = ?
     AND kind IN ('device.registered', 'session.began', 'rights.changed') ORDER BY id DESC LIMIT ${maxRows + 1}`,
    [afterId, from, tenantId],
  )
  const found: Found[] = []
  for await (const event of inSlices(rows.toReversed())) {
    const device = app.fleet.get(event.deviceId ?? '')
    if (
      isMoment(condition, event) &&
      (event.deviceId === null || (device && isIn(device))) &&
      maySee(app, principal, event)
    ) {
      const { name } = JSON.parse(event.data) as { name?: string | null }
      found.push({
        at: event.at,
        since: event.at,
        device,
        name: device ? nameOf(device) : (name ?? 'somebody'),
        detail: null,
      })
    }
  }
  return { from, found, isComplete: isWhole && rows.length <= maxRows }
}

interface Failure {
  at: number
  count: number
  accountId: string | null
  name: string | null
  address: string | null
}

/** Times at which so many sign-ins to an account had failed. */
export async function failedSignIns(
  { app }: Call,
  tenantId: string,
  { count, minutes }: Extract<AlertCondition, { kind: 'sign-ins-failed' }>,
): Promise<Past> {
  const from = app.clock.now() - weekMs
  const failures = await app.database.all<Failure>(
    `SELECT at, count, targetId AS accountId, targetName AS name, address FROM audit_events
     WHERE ${isRecentFailure} AND kind IN (${failedSignInKinds}) AND tenantId = ? ORDER BY at LIMIT ${maxRows + 1}`,
    [from, tenantId],
  )
  const found = [...Map.groupBy(failures, ({ accountId, name }) => accountId ?? name).values()].flatMap((ofAccount) => {
    const found: Found[] = []
    let oldest = 0
    let total = 0
    let isTold = false
    ofAccount.forEach(({ at, count: added, name, address }) => {
      total += added
      for (; ofAccount[oldest]!.at < at - minutes * 60_000; oldest++) {
        total -= ofAccount[oldest]!.count
      }
      if (total >= count && !isTold) {
        const detail = failuresDetail(total, address)
        found.push({ at, since: ofAccount[oldest]!.at, device: undefined, name: name ?? 'an unknown account', detail })
      }
      isTold = total >= count
    })
    return found
  })
  return { from, found, isComplete: failures.length <= maxRows }
}

/** Causes of alerts that rules with the same condition opened. */
export async function pastAlerts(
  { app, principal }: Call,
  tenantId: string,
  condition: AlertCondition,
  isIn: (device: DeviceState) => boolean,
): Promise<Past> {
  const now = app.clock.now()
  const from = now - weekMs
  const rows = await app.database.all<AlertWithSubjects>(
    `${alertsSql} WHERE a.tenantId = ? AND a.closedAt >= ? AND a.kind = ? ORDER BY a.closedAt LIMIT ${maxRows + 1}`,
    [tenantId, from, condition.kind],
  )
  const open = app.activeAlerts.ofTenant(tenantId).filter(({ row }) => row.kind === condition.kind)
  const leastMs = condition.kind === 'device-agent-behind' ? condition.minutes * 60_000 : 0
  const found = new Map<string, Found>()
  for (const alert of [...rows.map(readAlert), ...open]) {
    for (const { subject, deviceId, name, since, goneAt, detail } of visibleSubjects(app, principal, alert)) {
      const at = since + leastMs
      const device = deviceId === null ? undefined : app.fleet.get(deviceId)
      if (at >= from && at <= (goneAt ?? now) && (deviceId === null || (device && isIn(device)))) {
        found.set(`${subject} ${since}`, { at, since, device, name: device ? nameOf(device) : name, detail })
      }
    }
  }
  return { from, found: [...found.values()], isComplete: rows.length <= maxRows }
}
