import type { AlertCondition } from '../../shared/dtos/alert-rule.ts'
import type { App } from '../call/call.ts'
import type { ProgramEventRow } from '../events/tables.ts'
import { deviceRight } from '../fleet/rights.ts'
import { endOfHours } from '../ground/weekly-hours.ts'
import { lastRuns } from '../health/server-runs.ts'
import { prepareAlert, prepareWatched, type NewSubject, type Prepared } from './prepare-alert.ts'
import { personNow } from '../rights/rights.ts'
import { ruleMakerOf } from './rights.ts'
import type { Rule } from './rule-mirror.ts'
import { scopeTest } from './scope.ts'

/** Events looked at per transaction. */
const groupLength = 500
/** A connection that ended so soon before or after the end of a run was ended by the server. */
const ofServerMs = 2 * 60_000

type Event = ProgramEventRow

const dataOf = (event: Event) =>
  JSON.parse(event.data) as {
    name?: string | null
    isNew?: boolean
    session?: string
    what?: string
    actor?: { name: string | null }
  }

/** Kinds of the audit log with which somebody gets rights. */
const given: ReadonlySet<string> = new Set([
  'change.permission-assignment-created',
  'change.permission-assignment-updated',
  'change.permission-assignments-seeded',
  'change.user-group-members-added',
])

/** Whether an event is the moment that a condition waits for. How long a device was away is asked for later. */
export function isMoment(condition: AlertCondition, event: Event): boolean {
  switch (condition.kind) {
    case 'device-new':
      return event.kind === 'device.registered' && dataOf(event).isNew === true
    case 'device-changed-hands':
      return event.kind === 'device.registered' && dataOf(event).isNew === false
    case 'device-back':
      return event.kind === 'device.online'
    case 'device-session':
      return event.kind === 'session.began' && endOfHours(condition.hours, event.at) === undefined
    case 'right-given':
      return event.kind === 'rights.changed' && given.has(dataOf(event).what ?? '')
    default:
      return false
  }
}

function detailOf(event: Event): string | null {
  const { session, actor } = dataOf(event)
  const by = actor?.name ? `by ${actor.name}` : null
  return event.kind === 'session.began' ? [session, by].filter((part) => part != null).join(', ') : by
}

type Away = (event: Event) => Promise<number>

/** Time for which a device was away before it came online; 0 if this server ended its connection. */
async function awayMs(app: App, { id, deviceId, at }: Event): Promise<number> {
  const [left] = await app.database.all<{ at: number }>(
    `SELECT at FROM program_events WHERE deviceId = ? AND kind = 'device.offline' AND id < ? ORDER BY id DESC LIMIT 1`,
    [deviceId, id],
  )
  const runs = await lastRuns(app, 20)
  const isOfServer = runs.some(({ endedAt }) => left && endedAt !== null && Math.abs(left.at - endedAt) < ofServerMs)
  return left && !isOfServer ? at - left.at : 0
}

/** Remembers how long devices were away: many rules may ask about the same event. */
function rememberAway(app: App): Away {
  const known = new Map<number, Promise<number>>()
  return (event) => {
    const away = known.get(event.id) ?? awayMs(app, event)
    known.set(event.id, away)
    return away
  }
}

/** Subjects that a rule finds in events of its tenant. */
async function subjectsOf(app: App, { condition, row, subject }: Rule, events: readonly Event[], away: Away) {
  const moments = events.filter((event) => event.id > row.afterEventId && isMoment(condition, event))
  const maker = moments.length === 0 ? undefined : ruleMakerOf(app, row)
  if (maker === undefined) {
    return []
  }
  const isIn = await scopeTest(
    app,
    { kind: row.scopeKind, id: row.scopeId },
    { tenantId: row.tenantId, principal: maker },
  )
  const subjects = new Map<string, NewSubject>()
  for (const event of moments) {
    const device = app.fleet.get(event.deviceId ?? '')
    if (subject !== 'device') {
      const name = dataOf(event).name ?? 'somebody'
      subjects.set(`${event.id}`, {
        subject: `${event.id}`,
        deviceId: null,
        name,
        since: event.at,
        detail: detailOf(event),
      })
    } else if (
      device &&
      isIn(device) &&
      (condition.kind !== 'device-back' || (await away(event)) >= condition.minutes * 60_000)
    ) {
      const { id, name, alias } = device
      subjects.set(id, { subject: id, deviceId: id, name: alias || name, since: event.at, detail: detailOf(event) })
    }
  }
  return [...subjects.values()]
}

/**
 * Prepares the alerts of people who watch devices that are back, each of which is watched no longer. A device that is gone
 * again meanwhile is not back: its next connection is another event.
 */
function prepareWatches(app: App, events: readonly Event[]): Prepared[] {
  const back = new Map<string, number>(
    events.flatMap(({ kind, deviceId, at }): [string, number][] =>
      kind === 'device.online' && deviceId !== null ? [[deviceId, at]] : [],
    ),
  )
  return [...back].flatMap(([deviceId, at]) => {
    const device = app.fleet.get(deviceId)
    return device === undefined || device.connectionId === ''
      ? []
      : app.alertWatches.of(deviceId).map(({ userId }): Prepared => {
          const person = personNow(app, userId)
          const mayRead = person !== undefined && deviceRight(app, person, 'device.read')(device)
          const alert = mayRead ? prepareWatched(app, userId, device, at) : undefined
          return async (transaction) => {
            const isThere = (await app.models.AlertWatch.destroy({ where: { userId, deviceId }, transaction })) > 0
            await (isThere && alert?.(transaction))
          }
        })
  })
}

/** Returns a function that opens alerts about the events since its last call, also about those of an earlier run. */
export async function followEvents(app: App, onServerEvent: () => void): Promise<() => Promise<void>> {
  const [stored] = await app.database.write((transaction) =>
    app.models.AlertPlace.findOrCreate({
      where: { id: 'events' },
      defaults: { id: 'events', lastEventId: app.events.lastId },
      transaction,
    }),
  )
  let storedId = stored.lastEventId
  let place = storedId
  return async () => {
    while (place < app.events.lastId) {
      const events = await app.events.after(place, groupLength)
      const last = events.at(-1)
      if (!last) {
        return
      }
      const prepared: Prepared[] = prepareWatches(app, events)
      const byTenant = Map.groupBy(events, ({ tenantId }) => tenantId)
      const away = rememberAway(app)
      for (const rule of app.alertRules.enabled()) {
        const subjects = await subjectsOf(app, rule, byTenant.get(rule.row.tenantId) ?? [], away)
        const alert = subjects.length > 0 ? await prepareAlert(app, rule, subjects) : undefined
        prepared.push(...(alert ? [alert] : []))
      }
      // A place that only passes events without alerts is stored with the next alert, or a group further.
      if (prepared.length > 0 || last.id - storedId >= groupLength) {
        await app.database.write(async (transaction) => {
          for (const write of prepared) {
            await write(transaction)
          }
          await app.models.AlertPlace.upsert({ id: 'events', lastEventId: last.id }, { transaction })
        })
        storedId = last.id
      }
      place = last.id
      if (events.some(({ kind }) => kind.startsWith('backup.') || kind.startsWith('update.'))) {
        onServerEvent()
      }
    }
  }
}
