import { dayMs, minuteMs } from '../../shared/durations.ts'
import { instant } from '../ground/instant.ts'
import type { AlertDto, AlertState } from '../../shared/dtos/alert.ts'
import type { App, Call } from '../call/call.ts'
import { nameOfCaller } from '../people/names.ts'
import { inSlices } from '../ground/clock.ts'
import { conflict, forbidden, notFound } from '../ground/errors.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'
import { alertsSql, readAlert, type AlertWithSubjects, type StoredAlert, type Subject } from './alert-mirror.ts'
import { prepareClose } from './close-alerts.ts'
import { eventOf, lasts, presentAlert, stateOf } from './present.ts'
import { mayActOn, requireMember, visibleSubjects } from './rights.ts'
import type { AlertRow } from './tables.ts'

/** Closed alerts read for one page: bounds the work of a reader who may see few. */
const maxRead = 500
const readAtOnce = 100
const keptMs = 90 * dayMs
/** Devices with an active alert that a summary names. */
const namedDevices = 1_000

interface Seen {
  alert: StoredAlert
  visible: readonly Subject[]
}

/** Active alerts of the caller's tenant that it may see, newest first. */
async function activeOf({ app, principal }: Call, tenantId: string): Promise<Seen[]> {
  const seen: Seen[] = []
  for await (const alert of inSlices(app.activeAlerts.ofTenant(tenantId))) {
    const visible = visibleSubjects(app, principal, alert)
    if (visible.length > 0) {
      seen.push({ alert, visible })
    }
  }
  return seen
}

/** Place of an alert in a list: its time and its id. */
interface Place {
  at: number
  id: string
}
const placeText = ({ at, id }: Place) => `${at}_${id}`
function readPlace(text: string | undefined): Place {
  const [at = '', id = ''] = (text ?? '').split('_')
  return /^\d{1,15}$/.test(at) ? { at: Number(at), id } : { at: Number.MAX_SAFE_INTEGER, id: '' }
}

const isAfter = (at: number, id: string, place: Place) => at < place.at || (at === place.at && id < place.id)

interface Wanted {
  state: AlertState | 'active'
  deviceId?: string | undefined
  ruleId?: string | undefined
  customerId?: string | undefined
  before?: string | undefined
  limit: number
}

/** Whether an alert is of the wanted rule, and what the caller sees of it about the wanted device and customer. */
function isWanted({ fleet }: App, { alert, visible }: Seen, { deviceId, ruleId, customerId }: Wanted): boolean {
  return (
    (ruleId === undefined || alert.row.ruleId === ruleId) &&
    (deviceId === undefined || visible.some((subject) => subject.deviceId === deviceId)) &&
    (customerId === undefined ||
      visible.some((subject) => fleet.get(subject.deviceId ?? '')?.customerId === customerId))
  )
}

/** Closed alerts after a place, the last closed first. */
const readClosed = ({ database }: App, tenantId: string, { at, id }: Place, wanted: Wanted) =>
  database.all<AlertWithSubjects>(
    `${alertsSql} WHERE a.tenantId = ?1 AND a.closedAt IS NOT NULL AND (a.closedAt < ?2 OR (a.closedAt = ?2 AND a.id < ?3))
     AND (?4 IS NULL OR a.id IN (SELECT alertId FROM alert_subjects WHERE deviceId = ?4))
     AND (?5 IS NULL OR a.ruleId = ?5)
     AND (?6 IS NULL OR a.id IN (
       SELECT alertId FROM alert_subjects WHERE deviceId IN (SELECT id FROM devices WHERE customerId = ?6)))
     ORDER BY a.closedAt DESC, a.id DESC LIMIT ${readAtOnce}`,
    [tenantId, at, id, wanted.deviceId ?? null, wanted.ruleId ?? null, wanted.customerId ?? null],
  )

async function listClosed(call: Call, tenantId: string, wanted: Wanted) {
  const { app, principal } = call
  const { before, limit } = wanted
  const found: Seen[] = []
  let place = readPlace(before)
  for (let read = 0; read < maxRead && found.length < limit; read += readAtOnce) {
    const rows = await readClosed(app, tenantId, place, wanted)
    for (const row of rows) {
      const alert = readAlert(row)
      place = { at: alert.row.closedAt ?? 0, id: alert.row.id }
      const seen = { alert, visible: visibleSubjects(app, principal, alert) }
      if (seen.visible.length > 0 && isWanted(app, seen, wanted) && found.push(seen) === limit) {
        break
      }
    }
    if (rows.length < readAtOnce && found.length < limit) {
      return { found, next: null }
    }
  }
  return { found, next: placeText(place) }
}

async function listActive(call: Call, tenantId: string, wanted: Wanted) {
  const { state, before, limit } = wanted
  const place = readPlace(before)
  const now = call.app.clock.now()
  const all = (await activeOf(call, tenantId)).filter(
    (seen) =>
      (state === 'active' || stateOf(seen.alert.row, now) === state) &&
      isWanted(call.app, seen, wanted) &&
      isAfter(seen.alert.row.openedAt, seen.alert.row.id, place),
  )
  const last = all[limit - 1]?.alert.row
  return {
    found: all.slice(0, limit),
    next: last && all.length > limit ? placeText({ at: last.openedAt, id: last.id }) : null,
  }
}

/** A page of the alerts that the caller may see. */
export async function listAlerts(call: Call, tenantId: string, wanted: Wanted) {
  requireMember(call)
  const { found, next } = await (wanted.state === 'closed' ? listClosed : listActive)(call, tenantId, wanted)
  return { items: found.map(({ alert, visible }) => presentAlert(call, alert, visible, 'inList')), next }
}

export async function summarizeAlerts(call: Call, tenantId: string) {
  requireMember(call)
  const { app, principal } = call
  const now = app.clock.now()
  const seen = await activeOf(call, tenantId)
  const count = (state: AlertState) => seen.filter(({ alert }) => stateOf(alert.row, now) === state).length
  const deviceIds = new Set<string>()
  for (const { visible } of seen) {
    for (const { deviceId, goneAt } of visible) {
      if (deviceId !== null && goneAt === null && deviceIds.size < namedDevices) {
        deviceIds.add(deviceId)
      }
    }
  }
  return {
    open: count('open'),
    acknowledged: count('acknowledged'),
    snoozed: count('snoozed'),
    deviceIds: [...deviceIds],
    watchedIds: principal.kind === 'User' ? app.alertWatches.ofUser(principal.id).map(({ deviceId }) => deviceId) : [],
  }
}

/** An alert that the caller may see, active or closed. Throws 404. */
async function findAlert(call: Call, tenantId: string, id: string): Promise<Seen> {
  requireMember(call)
  const { app, principal } = call
  const active = app.activeAlerts.get(id)
  const [row] = active ? [] : await app.database.all<AlertWithSubjects>(`${alertsSql} WHERE a.id = ?`, [id])
  const alert = active ?? (row && readAlert(row))
  const visible = alert?.row.tenantId === tenantId ? visibleSubjects(app, principal, alert) : []
  if (!alert || visible.length === 0) {
    throw notFound('alert')
  }
  return { alert, visible }
}

export async function getAlert(call: Call, tenantId: string, id: string): Promise<AlertDto> {
  const { alert, visible } = await findAlert(call, tenantId, id)
  return presentAlert(call, alert, visible, 'inAll')
}

/** The alert, if the caller may act on it. Throws 404, 403 and 409. */
async function findToActOn(call: Call, tenantId: string, id: string): Promise<Seen> {
  const seen = await findAlert(call, tenantId, id)
  const { alert, visible } = seen
  if (alert.row.closedAt !== null) {
    throw conflict('The alert is closed.')
  }
  if (!mayActOn(call.app, call.principal, alert, visible)) {
    throw forbidden('You see a part of this alert only. Who was notified, or may change the settings, can take it up.')
  }
  return seen
}

/** Changes an alert that is not closed meanwhile, with the entry about who did it. */
async function change(
  call: Call,
  { alert }: Seen,
  changes: Partial<AlertRow>,
  event: Parameters<typeof eventOf>[1],
  more: { until?: string } = {},
): Promise<void> {
  const { app, actor } = call
  const { row } = alert
  await app.database.write(async (transaction) => {
    const where = { id: row.id, closedAt: null }
    const [isThere] = await app.models.Alert.update({ ...changes, changedAt: app.clock.now() }, { where, transaction })
    if (isThere === 0) {
      throw conflict('The alert is closed.')
    }
    if (row.ownerId === null) {
      await app.audit.recordIn(transaction, actor, [eventOf(app, event, alert, more)])
    }
    if (event === 'alert.acknowledged' && !lasts(row.kind)) {
      await prepareClose(app, [alert], 'seen', actor)(transaction)
    }
  })
}

/** Acknowledges an alert in the name of the caller; one about a moment is closed. */
export async function acknowledgeAlert(call: Call, tenantId: string, id: string): Promise<AlertDto> {
  const seen = await findToActOn(call, tenantId, id)
  const changes = {
    acknowledgedAt: call.app.clock.now(),
    acknowledgedBy: nameOfCaller(call),
    snoozedUntil: null,
    snoozedBy: null,
  }
  await change(call, seen, changes, 'alert.acknowledged')
  return getAlert(call, tenantId, id)
}

/** Snoozes an alert for some minutes; 0 ends the snooze. */
export async function snoozeAlert(call: Call, tenantId: string, id: string, minutes: number): Promise<AlertDto> {
  const seen = await findToActOn(call, tenantId, id)
  const until = call.app.clock.now() + minutes * minuteMs
  const changes =
    minutes === 0 ? { snoozedUntil: null, snoozedBy: null } : { snoozedUntil: until, snoozedBy: nameOfCaller(call) }
  await change(call, seen, changes, 'alert.snoozed', minutes === 0 ? {} : { until: instant(until) })
  return getAlert(call, tenantId, id)
}

export const removeOldAlerts = ({ app }: { app: App }): Promise<void> =>
  deleteWhere(app, 'alerts', 'closedAt < ?', app.retentionClock.now() - keptMs)
