import type { AlertCondition, AlertRulePreviewDto, AlertScope } from '../../shared/dtos/alert-rule.ts'
import type { App, Call } from '../call/call.ts'
import { hourMs, sampleOf, slotMs, slotsPerHour, type LoadRow } from '../devices/presence.ts'
import { maySee } from '../events/rights.ts'
import type { ProgramEventRow } from '../events/tables.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { TimeSlice } from '../ground/clock.ts'
import { instant } from '../ground/instant.ts'
import { isMoment } from './follow-events.ts'
import { scopeTest } from './scope.ts'
import { titleOf } from './texts.ts'

const weekMs = 7 * 24 * hourMs
/** Loads are kept for a day. */
const loadsMs = 24 * hourMs
/** Subjects that begin so soon after one another count as the same alert. */
const burstMs = 2 * 60_000
/** Rows of history that are read for one preview. */
const maxRows = 20_000
const shown = 50

/** Something that would have been told. */
interface Found {
  at: number
  /** When the cause began. */
  since: number
  /** Undefined for what is not about a device. */
  device: DeviceState | undefined
  name: string
  detail: string | null
}

interface History {
  from: number
  found: Found[]
  isComplete: boolean
}

const nameOf = ({ name, alias }: DeviceState) => alias || name

type Presence = Pick<ProgramEventRow, 'at' | 'kind'> & { deviceId: string; id: number }

/** Times in which devices were offline for long enough. Absences that a person wanted are not told apart. */
async function absences(
  app: App,
  tenantId: string,
  devices: ReadonlyMap<string, DeviceState>,
  minutes: number,
  isBack: boolean,
): Promise<History> {
  const now = app.clock.now()
  const from = now - weekMs
  const rows = await app.database.all<Presence>(
    `SELECT id, deviceId, at, kind FROM program_events INDEXED BY program_events_of_presence
     WHERE kind IN ('device.online', 'device.offline') AND deviceId IN (SELECT value FROM json_each(?)) AND at >= ?
     AND tenantId = ? LIMIT ${maxRows + 1}`,
    [JSON.stringify([...devices.keys()]), from, tenantId],
  )
  const left = new Map<string, number>()
  const found: Found[] = []
  const slice = new TimeSlice()
  const away = (deviceId: string, until: number, isOver: boolean) => {
    const since = left.get(deviceId)
    const device = devices.get(deviceId)!
    if (since !== undefined && until - since >= minutes * 60_000 && isBack === isOver) {
      found.push({ at: isBack ? until : since + minutes * 60_000, since, device, name: nameOf(device), detail: null })
    }
  }
  for (const { deviceId, at, kind } of rows.toSorted((a, b) => a.id - b.id)) {
    if (kind === 'device.offline') {
      left.set(deviceId, at)
    } else {
      away(deviceId, at, true)
      if (!isBack) {
        away(deviceId, at, false)
      }
      left.delete(deviceId)
    }
    if (slice.isOver) {
      await slice.yield()
    }
  }
  if (!isBack) {
    left.forEach((_, deviceId) => away(deviceId, now, false))
  }
  return { from, found, isComplete: rows.length <= maxRows }
}

const rowOfKind: Partial<Record<AlertCondition['kind'], LoadRow>> = { 'device-memory': 'memory', 'device-load': 'cpu' }

/** Times in which a stored load was above a limit for long enough. */
async function loads(
  app: App,
  devices: ReadonlyMap<string, DeviceState>,
  { kind, percent, minutes }: Extract<AlertCondition, { percent: number }>,
): Promise<History> {
  const from = app.clock.now() - loadsMs
  const row = rowOfKind[kind]!
  const stored = await app.database.all<{ deviceId: string; hour: number; samples: string }>(
    `SELECT deviceId, hour, samples FROM device_loads WHERE deviceId IN (SELECT value FROM json_each(?)) AND hour >= ?
     ORDER BY deviceId, hour LIMIT ${maxRows + 1}`,
    [JSON.stringify([...devices.keys()]), Math.floor(from / hourMs)],
  )
  const needed = Math.max(1, Math.ceil((minutes * 60_000) / slotMs))
  const found: Found[] = []
  const slice = new TimeSlice()
  let last = { deviceId: '', above: 0 }
  for (const { deviceId, hour, samples } of stored) {
    const block = { samples: new Uint8Array(Buffer.from(samples, 'base64')) }
    last = last.deviceId === deviceId ? last : { deviceId, above: 0 }
    for (let slot = 0; slot < slotsPerHour; slot++) {
      const value = sampleOf(block, row, slot)
      last.above = value !== undefined && value > percent ? last.above + 1 : 0
      const device = devices.get(deviceId)
      if (last.above === needed && device) {
        const at = hour * hourMs + (slot + 1) * slotMs
        found.push({ at, since: at - needed * slotMs, device, name: nameOf(device), detail: `${value} %` })
      }
    }
    if (slice.isOver) {
      await slice.yield()
    }
  }
  return { from, found, isComplete: stored.length <= maxRows }
}

/** Events that a condition waits for, of those that the caller may see. */
async function moments(
  { app, principal }: Call,
  tenantId: string,
  condition: AlertCondition,
  isIn: (device: DeviceState) => boolean,
): Promise<History> {
  const from = app.clock.now() - weekMs
  const rows = await app.database.all<ProgramEventRow>(
    `SELECT * FROM program_events WHERE id > ? AND at >= ? AND tenantId = ?
     AND kind IN ('device.registered', 'session.began', 'rights.changed') ORDER BY id DESC LIMIT ${maxRows + 1}`,
    [app.events.lastId - 10 * maxRows, from, tenantId],
  )
  const found: Found[] = []
  const slice = new TimeSlice()
  for (const event of rows.toReversed()) {
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
    if (slice.isOver) {
      await slice.yield()
    }
  }
  return { from, found, isComplete: rows.length <= maxRows }
}

/** Why there is no history of a condition. */
const notKept: Partial<Record<AlertCondition['kind'], string>> = {
  'device-disk': 'The server keeps no history of storage that rules could look at.',
  'device-disk-forecast': 'The server does not keep its earlier forecasts.',
  'device-agent-behind': 'The server does not keep which version an agent had.',
  'device-two-machines': 'The server does not keep when two machines had one identity.',
  'maker-gone': 'The audit log has whose account was deleted or disabled, and whose rights were changed.',
  'sign-ins-failed': 'The audit log has the failed sign-ins.',
}
const ofServer = 'The audit log and the Health page have what happened to the server.'

async function historyOf(
  call: Call,
  tenantId: string,
  condition: AlertCondition,
  scope: AlertScope,
): Promise<History | undefined> {
  const { app, principal } = call
  const isIn = await scopeTest(app, scope, { tenantId, principal })
  const inScope = () => new Map([...app.fleet.all].filter(isIn).map((device) => [device.id, device]))
  switch (condition.kind) {
    case 'device-offline':
      return absences(app, tenantId, inScope(), condition.minutes, false)
    case 'device-back':
      return absences(app, tenantId, inScope(), condition.minutes, true)
    case 'device-memory':
    case 'device-load':
      return loads(app, inScope(), condition)
    case 'device-new':
    case 'device-changed-hands':
    case 'device-session':
    case 'right-given':
      return moments(call, tenantId, condition, isIn)
    default:
      return undefined
  }
}

/** Groups what would have been told together. */
function alertsIn(found: readonly Found[]): Found[][] {
  const groups: Found[][] = []
  for (const one of found.toSorted((a, b) => a.since - b.since)) {
    const last = groups.at(-1)
    if (last && one.since - last.at(-1)!.since <= burstMs) {
      last.push(one)
    } else {
      groups.push([one])
    }
  }
  return groups
}

/** Alerts that a rule of the caller would have opened in the last 7 days. */
export async function previewRule(
  call: Call,
  tenantId: string,
  condition: AlertCondition,
  scope: AlertScope,
): Promise<AlertRulePreviewDto> {
  const history = await historyOf(call, tenantId, condition, scope)
  if (!history) {
    const from = instant(call.app.clock.now() - weekMs)
    return { from, count: 0, items: [], isComplete: true, missing: notKept[condition.kind] ?? ofServer }
  }
  const groups = alertsIn(history.found)
  return {
    from: instant(history.from),
    count: groups.length,
    items: groups
      .slice(-shown)
      .toReversed()
      .map((group) => {
        const customers = new Set(group.map(({ device }) => device?.customerName ?? null))
        const customer = customers.size === 1 ? [...customers][0]! : null
        return {
          at: instant(Math.min(...group.slice(0, 1).map(({ at }) => at))),
          title: titleOf(condition.kind, group, customer),
          devices: group.filter(({ device }) => device !== undefined).length,
        }
      }),
    isComplete: history.isComplete,
    missing: null,
  }
}
