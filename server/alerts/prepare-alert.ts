import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { systemCall, type App } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { StoredAlert, Subject } from './alert-mirror.ts'
import { eventOf } from './present.ts'
import type { Rule } from './rule-mirror.ts'
import type { AlertRow } from './tables.ts'
import { audiencesOf, receiversOf, notifyAudiences } from './receivers.ts'

/** Fewer devices that are down say nothing about their network. */
const least = 3

const subnetOf = ({ publicIpV4, localIpV4 }: DeviceState) =>
  publicIpV4 === '' || localIpV4 === '' ? undefined : `${publicIpV4} ${localIpV4.split('.').slice(0, 3).join('.')}`

/**
 * Network that devices have in common, if none of its devices is online: they lie behind the same public address, and the
 * first 24 bits of their local addresses are the same. Null for fewer than three devices.
 */
function deadNetwork(app: App, devices: readonly DeviceState[]): string | null {
  const [first] = devices
  const subnet = first && subnetOf(first)
  if (devices.length < least || subnet === undefined || devices.some((device) => subnetOf(device) !== subnet)) {
    return null
  }
  for (const id of app.fleet.onlineIds()) {
    const device = app.fleet.get(id)
    if (device?.tenantId === first!.tenantId && subnetOf(device) === subnet) {
      return null
    }
  }
  return `${first!.localIpV4.split('.').slice(0, 3).join('.')}.0/24`
}

/** A subject that begins so soon after the newest of an alert becomes a part of that alert, and nobody is told again. */
const burstMs = 2 * 60_000
/** Longest time that an alert grows: where something fails every minute, people are told again. */
const longestBurstMs = 10 * 60_000
/** Alerts of a tenant that are not closed; beyond, new subjects become a part of the newest of their rule. */
const maxActive = 500

export type NewSubject = Omit<Subject, 'goneAt'>

/** Writes that are prepared, and made in one transaction. */
export type Prepared = (transaction: Transaction) => Promise<void>

const insertSubjects = `INSERT INTO alert_subjects (alertId, subject, deviceId, name, since, detail)
  SELECT $1, u.value ->> 'subject', u.value ->> 'deviceId', u.value ->> 'name', CAST(u.value ->> 'since' AS BIGINT), u.value ->> 'detail'
  FROM jsonb_each($2) AS u
  WHERE u.value ->> 'deviceId' IS NULL OR EXISTS (SELECT 1 FROM devices WHERE id = u.value ->> 'deviceId')
  ON CONFLICT (alertId, subject) DO UPDATE SET since = excluded.since, detail = excluded.detail, goneAt = NULL`

/** Adds subjects to an alert; a device that was deleted meanwhile is left out. */
const storeSubjects = ({ database }: App, transaction: Transaction, alertId: string, subjects: readonly NewSubject[]) =>
  database.sequelize.query(insertSubjects, { bind: [alertId, JSON.stringify(subjects)], transaction })

/**
 * Alert of a rule that new subjects belong to: it is about the same burst. Who has acknowledged or snoozed an alert knows
 * only what it was about then.
 */
function sameBurst(app: App, { row }: Rule, subjects: readonly NewSubject[]): StoredAlert | undefined {
  const ofRule = app.activeAlerts.ofRule(row.id)
  const first = subjects[0]?.since ?? 0
  const isFull = app.activeAlerts.ofTenant(row.tenantId).length >= maxActive
  const newest = ofRule.toSorted((a, b) => b.row.openedAt - a.row.openedAt)[0]
  if (!newest || isFull) {
    return newest
  }
  const { lastSince, acknowledgedAt, snoozedUntil } = newest.row
  const begunAt = newest.subjects[0]?.since ?? lastSince
  const isSame =
    acknowledgedAt === null &&
    snoozedUntil === null &&
    Math.abs(first - lastSince) <= burstMs &&
    first - begunAt <= longestBurstMs
  return isSame ? newest : undefined
}

const newestOf = (subjects: readonly NewSubject[]) => subjects.reduce((newest, { since }) => Math.max(newest, since), 0)

const devicesIn = (app: App, subjects: readonly NewSubject[]): DeviceState[] =>
  subjects.flatMap(({ deviceId }) => (deviceId === null ? [] : (app.fleet.get(deviceId) ?? [])))

type About = Pick<AlertRow, 'tenantId' | 'ruleId' | 'ruleName' | 'kind' | 'ownerId' | 'network' | 'lastSince'>

function newRow({ clock }: App, about: About): AlertRow {
  const now = clock.now()
  return {
    id: randomUUID(),
    ...about,
    openedAt: now,
    changedAt: now,
    acknowledgedAt: null,
    acknowledgedBy: null,
    snoozedUntil: null,
    snoozedBy: null,
    closedAt: null,
    closedBecause: null,
    escalatedAt: null,
    toldIds: '[]',
  }
}

const opened = (subjects: readonly NewSubject[]): Subject[] => subjects.map((subject) => ({ ...subject, goneAt: null }))

/** Stores an alert with its subjects, the events about it, and what its receivers are told. */
async function store(app: App, transaction: Transaction, alert: StoredAlert, userIds: readonly string[]) {
  const audiences = await audiencesOf(app, alert, userIds)
  const toldIds = JSON.stringify(audiences.flatMap((audience) => audience.userIds))
  await app.models.Alert.create({ ...alert.row, toldIds }, { transaction })
  await storeSubjects(app, transaction, alert.row.id, alert.subjects)
  await notifyAudiences(app, transaction, alert, audiences, 'opened')
  if (alert.row.ownerId === null) {
    await app.audit.recordIn(transaction, systemCall(app).actor, [eventOf(app, 'alert.opened', alert)])
  }
}

/** Prepares an alert about subjects for which a rule holds, oldest first; undefined if nobody could see it. */
export async function prepareAlert(
  app: App,
  rule: Rule,
  subjects: readonly NewSubject[],
): Promise<Prepared | undefined> {
  const known = sameBurst(app, rule, subjects)
  if (known) {
    const { id, lastSince } = known.row
    const changes = { lastSince: Math.max(lastSince, newestOf(subjects)), changedAt: app.clock.now() }
    return async (transaction) => {
      const [isThere] = await app.models.Alert.update(changes, { where: { id, closedAt: null }, transaction })
      if (isThere === 0) {
        throw new Error('The alert was closed meanwhile.')
      }
      await storeSubjects(app, transaction, id, subjects)
    }
  }
  const { kind } = rule.condition
  const row = newRow(app, {
    tenantId: rule.row.tenantId,
    ruleId: rule.row.id,
    ruleName: rule.row.name,
    kind,
    ownerId: null,
    network: kind === 'device-offline' ? deadNetwork(app, devicesIn(app, subjects)) : null,
    lastSince: newestOf(subjects),
  })
  const alert = { row, subjects: opened(subjects) }
  const userIds = await receiversOf(app, rule, alert)
  // Every tenant has the rules about the server, which the people of few may read.
  if (rule.subject === 'server' && (await audiencesOf(app, alert, userIds)).length === 0) {
    return undefined
  }
  return (transaction) => store(app, transaction, alert, userIds)
}

/** Prepares the alert of a person who watched a device. */
export function prepareWatched(app: App, userId: string, device: DeviceState, since: number): Prepared {
  const subject = { subject: device.id, deviceId: device.id, name: device.alias || device.name, since, detail: null }
  const row = newRow(app, {
    tenantId: device.tenantId,
    ruleId: null,
    ruleName: null,
    kind: 'watched',
    ownerId: userId,
    network: null,
    lastSince: since,
  })
  return (transaction) => store(app, transaction, { row, subjects: opened([subject]) }, [userId])
}
