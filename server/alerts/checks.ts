import { dayMs } from '../../shared/durations.ts'
import { plural } from '../../shared/plural.ts'
import type { AlertCondition, AlertKind } from '../../shared/dtos/alert-rule.ts'
import { isRecentFailure } from '../audit/indexed-conditions.ts'
import type { App } from '../call/call.ts'
import { isChangeEvent } from '../events/indexed-conditions.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { TimeSlice } from '../ground/clock.ts'
import { sharedReport } from '../health/report.ts'
import { diskForecasts, type DiskForecast } from '../history/forecast.ts'
import { offeredRelease, readUpdateState } from '../updates/check.ts'
import { type NewSubject, prepareAlert } from './prepare-alert.ts'
import { ruleMakerOf } from './rights.ts'
import { scopeTest } from './scope.ts'
import { settingMakerNow } from '../rights/rights.ts'
import { webhookSubject } from './present.ts'
import { settle } from './close-alerts.ts'
import type { Rule } from './rule-mirror.ts'

/** Opens what was found and is not open yet, and settles what is open and was not found. */
async function reconcile(app: App, rule: Rule, found: readonly NewSubject[]): Promise<void> {
  const open = app.activeAlerts.openOf(rule.row.id)
  const names = new Set(found.map(({ subject }) => subject))
  const gone = [...open.keys()].filter((subject) => !names.has(subject))
  const fresh = found.filter(({ subject }) => !open.has(subject))
  if (gone.length > 0) {
    await settle(app, rule.row.id, gone)
  }
  if (fresh.length > 0) {
    const prepared = await prepareAlert(app, rule, fresh)
    await (prepared && app.database.write(prepared))
  }
}

type Check = Awaited<ReturnType<typeof sharedReport>>['checks'][number]
type ServerKind = Extract<AlertKind, `server-${string}`>

/** Checks of the health report that other rules report, or that are no problem of the server. */
const toldElsewhere: ReadonlySet<string> = new Set(['agents', 'refused', 'backup', 'certificate'])

const isWanted: Record<Exclude<ServerKind, 'server-update'>, (check: Check) => boolean> = {
  'server-certificate': ({ id, state }) => id === 'certificate' && state !== 'ok',
  'server-backup': ({ id, state }) => id === 'backup' && state === 'problem',
  'server-problem': ({ id, state }) => !toldElsewhere.has(id) && state === 'problem',
}

const subjectOf =
  (now: number) =>
  ({ id, title, summary, since }: Check): NewSubject => ({
    subject: id,
    deviceId: null,
    name: title,
    since: since === null ? now : Date.parse(since),
    detail: summary,
  })

/** A newer version that is offered, and an update that failed since the start of this server. */
async function updateSubjects(app: App): Promise<NewSubject[]> {
  const [offered, failed] = await Promise.all([
    readUpdateState(app).then((state) => offeredRelease(app, state)),
    app.database.all<{ at: number; data: string }>(
      `SELECT at, data FROM program_events WHERE ${isChangeEvent} AND kind IN ('update.installed', 'update.failed')
       ORDER BY at DESC LIMIT 1`,
    ),
  ])
  const [last] = failed
  const reason = last && (JSON.parse(last.data) as { reason?: string | null }).reason
  return [
    ...(offered
      ? [
          {
            subject: `version ${offered.release.version}`,
            deviceId: null,
            name: 'Update',
            since: offered.release.signedAt,
            detail: `Version ${offered.release.version} is available; this server runs ${app.version}`,
          },
        ]
      : []),
    ...(last && reason
      ? [
          {
            subject: `failed ${last.at}`,
            deviceId: null,
            name: 'Update',
            since: last.at,
            detail: `The update failed: ${reason}`,
          },
        ]
      : []),
  ]
}

const isServerKind = (kind: AlertKind): kind is ServerKind => kind.startsWith('server-')

/** Compares the health report and the offered version with the rules about the server. */
export async function checkServer(app: App): Promise<void> {
  const rules = app.alertRules.enabled().filter(({ condition }) => isServerKind(condition.kind))
  if (rules.length === 0) {
    return
  }
  const [report, updates] = await Promise.all([sharedReport(app), updateSubjects(app)])
  for (const rule of rules.filter(({ row }) => ruleMakerOf(app, row) !== undefined)) {
    const kind = rule.condition.kind as ServerKind
    const found =
      kind === 'server-update' ? updates : report.checks.filter(isWanted[kind]).map(subjectOf(app.clock.now()))
    await reconcile(app, rule, found)
  }
}

interface Failures {
  tenantId: string
  accountId: string | null
  name: string | null
  total: number
  since: number
  address: string | null
}

/** Kinds of audit events, as SQL. */
export const failedSignInKinds = "'sign-in.password', 'sign-in.passkey', 'sign-in.provider'"

export const failuresDetail = (total: number, address: string | null): string =>
  `${plural(total, 'failed sign-in', 'failed sign-ins')}${address === null ? '' : `, from ${address}`}`

const failuresSql = `SELECT tenantId, targetId AS accountId, targetName AS name, sum(count) AS total, min(at) AS since,
    max(address) AS address
  FROM audit_events WHERE ${isRecentFailure} AND kind IN (${failedSignInKinds}) AND tenantId IS NOT NULL
  GROUP BY tenantId, targetId, targetName`

/** Compares failed sign-ins of each account with the rules about them. */
export async function checkSignIns(app: App): Promise<void> {
  const asked = new Map<number, Promise<Failures[]>>()
  const failuresOf = (minutes: number) => {
    const known = asked.get(minutes) ?? app.database.all<Failures>(failuresSql, [app.clock.now() - minutes * 60_000])
    asked.set(minutes, known)
    return known
  }
  for (const rule of app.alertRules.enabled()) {
    const { condition, row } = rule
    if (condition.kind === 'sign-ins-failed' && ruleMakerOf(app, row) !== undefined) {
      const failures = await failuresOf(condition.minutes)
      const found = failures
        .filter(({ tenantId, total }) => tenantId === row.tenantId && total >= condition.count)
        .map(({ accountId, name, total, since, address }): NewSubject => ({
          subject: accountId ?? name ?? 'unknown',
          deviceId: null,
          name: name ?? 'an unknown account',
          since,
          detail: failuresDetail(total, address),
        }))
      await reconcile(app, rule, found)
    }
  }
}

/**
 * Compares devices with the rules of one kind. `detailOf` says what was found about a device; undefined means nothing.
 */
async function checkDevices<Kind extends AlertKind>(
  app: App,
  kind: Kind,
  devices: Iterable<DeviceState>,
  detailOf: (device: DeviceState, condition: Extract<AlertCondition, { kind: Kind }>) => string | undefined,
): Promise<void> {
  const candidates = [...devices]
  const slice = new TimeSlice()
  for (const rule of app.alertRules.enabled()) {
    const { row, condition } = rule
    const maker = ruleMakerOf(app, row)
    const open = app.activeAlerts.openOf(row.id)
    if (condition.kind !== kind || maker === undefined || candidates.length + open.size === 0) {
      continue
    }
    const scope = { kind: row.scopeKind, id: row.scopeId }
    const isIn = await scopeTest(app, scope, { tenantId: row.tenantId, principal: maker })
    const found: NewSubject[] = []
    for (const device of candidates) {
      const { id, name, alias, tenantId } = device
      const isOurs = tenantId === row.tenantId && (open.has(id) || isIn(device))
      const detail = isOurs ? detailOf(device, condition as Extract<AlertCondition, { kind: Kind }>) : undefined
      if (detail !== undefined) {
        found.push({ subject: id, deviceId: id, name: alias || name, since: app.clock.now(), detail })
      }
      if (slice.isOver) {
        await slice.yield()
      }
    }
    await reconcile(app, rule, found)
  }
}

/** Compares devices with two machines with the rules about them. */
export const checkMachines = (app: App): Promise<void> => {
  const { rivals } = app.sharedIdentities
  const devices = [...rivals.keys()].flatMap((id) => app.fleet.get(id) ?? [])
  return checkDevices(app, 'device-two-machines', devices, ({ id }) => {
    const machines = rivals.get(id)?.map((machine) => machine.name)
    return machines && `Reported by ${machines.join(' and ')}`
  })
}

/** Names the disk that will be full first of those that a condition finds; undefined if it finds none. */
export function forecastDetail(
  forecasts: readonly DiskForecast[],
  { days }: { days: number },
  now: number,
): string | undefined {
  const [first] = forecasts
    .filter(({ fullAt }) => fullAt !== null && fullAt <= now + days * dayMs)
    .toSorted((a, b) => a.fullAt! - b.fullAt!)
  const day = first && new Date(first.fullAt!).toISOString().slice(0, 10)
  return first && `${first.disk || 'The disk'} is ${Math.round(first.used * 100)}% full, and full about ${day}`
}

/** Compares the forecast of each disk with the rules about it. */
export const checkDisks = (app: App): Promise<void> =>
  checkDevices(app, 'device-disk-forecast', app.fleet.all, ({ id }, condition) =>
    forecastDetail(diskForecasts(app, id), condition, app.clock.now()),
  )

type Stopped = NewSubject & { tenantId: string }

/** Rules and webhooks that are on, and whose maker is gone, disabled, or may not make them any more (T43). */
async function stoppedNow(app: App): Promise<Stopped[]> {
  const { alertRules, models, accounts, serviceAccounts, clock } = app
  const reason = (makerId: string | null) => {
    const name = accounts.nameOf(makerId ?? '') ?? serviceAccounts.get(makerId ?? '')?.name
    return `Made by ${name === undefined ? 'an account that is gone' : `${name}, an account that is disabled or may not make it any more`}`
  }
  const subjectOf = (subject: string, name: string, of: { tenantId: string; makerId: string | null }): Stopped => ({
    subject,
    tenantId: of.tenantId,
    deviceId: null,
    name,
    since: clock.now(),
    detail: reason(of.makerId),
  })
  const webhooks = await models.Webhook.findAll({ where: { isEnabled: true }, raw: true })
  return [
    ...alertRules
      .enabled()
      .filter(({ row }) => ruleMakerOf(app, row) === undefined)
      .map(({ row }) => subjectOf(`rule ${row.id}`, `The alert rule ${row.name}`, row)),
    ...webhooks
      .filter((webhook) => settingMakerNow(app, webhook) === undefined)
      .map((webhook) => subjectOf(webhookSubject + webhook.id, `The webhook ${webhook.name}`, webhook)),
  ]
}

/** Compares rules and webhooks that have stopped with the rules about them. */
export async function checkStopped(app: App): Promise<void> {
  const rules = app.alertRules
    .enabled()
    .filter(({ row, condition }) => condition.kind === 'maker-gone' && ruleMakerOf(app, row) !== undefined)
  if (rules.length > 0) {
    const stopped = await stoppedNow(app)
    for (const rule of rules) {
      const found = stopped.filter(({ tenantId }) => tenantId === rule.row.tenantId)
      await reconcile(app, rule, found)
    }
  }
}
