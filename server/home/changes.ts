import { minuteMs } from '../../shared/durations.ts'
import type { HomeChangeKind, HomeChangesDto } from '../../shared/api/appliance-home.ts'
import type { App, Call } from '../call/call.ts'
import { isChangeEvent } from '../events/indexed-conditions.ts'
import { maySee } from '../events/rights.ts'
import type { ProgramEventRow } from '../events/tables.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import type { Principal } from '../ground/principal.ts'

/** A sign-in is recorded shortly before its session. */
const signInMs = minuteMs
/** Maximum number of events read of a tenant, and of the server. */
const eventsRead = 2_000
const thingsShown = 5

/** Changes that are shown, by the type of the event. */
const kinds: Readonly<Record<string, HomeChangeKind>> = {
  'device.registered': 'devices-added',
  'device.deleted': 'devices-removed',
  'person.added': 'people-added',
  'person.removed': 'people-removed',
  'rights.changed': 'rights',
  'update.installed': 'updates',
  'update.failed': 'failed-updates',
  'alert.opened': 'alerts',
}

/**
 * End of the person's visit before the present session: the last use of another session, or the last event by the
 * person. Null for somebody who was never here before, and for programs.
 */
async function lastVisit({ database, sessions }: App, { id, credential }: Principal): Promise<number | null> {
  const began = credential.kind === 'Session' ? sessions.beganAt(credential.sessionId) : undefined
  if (began === undefined) {
    return null
  }
  const [found] = await database.all<{ at: number | null }>(
    `SELECT max(at) AS at FROM (
       SELECT * FROM (SELECT at FROM audit_events WHERE actorId = ?1 AND at < ?2 ORDER BY id DESC LIMIT 1) AS newest
       UNION ALL SELECT min(lastSeenAt, ?2) FROM sessions WHERE userId = ?1 AND createdAt < ?2
     ) AS seen`,
    [id, began - signInMs],
  )
  return found?.at ?? null
}

/** Newest changes after `since` of the caller's tenant and of the server: those of other tenants hide none (T44). */
async function newestChanges({ app, principal }: Call, since: number): Promise<ProgramEventRow[][]> {
  const { tenantId } = principal
  const read = (condition: string, ...params: string[]) =>
    app.database.all<ProgramEventRow>(
      `SELECT * FROM program_events WHERE ${isChangeEvent} AND at > ? AND ${condition} ORDER BY at DESC, id DESC LIMIT ${eventsRead}`,
      [since, ...params],
    )
  return Promise.all(tenantId === null ? [read('TRUE')] : [read('tenantId IS NULL'), read('tenantId = ?', tenantId)])
}

type Named = Partial<{ name: string | null; isNew: boolean }>

/** Changes by others since the person's last visit, as far as the person may see them; at most 30 days. */
export async function changesFor(call: Call, after: number | undefined): Promise<HomeChangesDto> {
  const { app, principal } = call
  const visit = await lastVisit(app, principal)
  const since = after === undefined ? visit : Math.max(visit ?? 0, after)
  const now = app.clock.now()
  if (since === null) {
    return { checkedAt: instant(now), since: null, isComplete: true, items: [] }
  }
  const lists = await newestChanges(call, since)
  const newest = lists.flat().toSorted((a, b) => b.at - a.at || b.id - a.id)
  const seen = newest.flatMap((row) => {
    const kind = kinds[row.kind]
    const { name = null, isNew } = JSON.parse(row.data) as Named
    const isNews = kind !== undefined && isNew !== false && row.actorId !== principal.id && maySee(app, principal, row)
    return isNews ? [{ kind, at: row.at, id: row.subject, name }] : []
  })
  return {
    checkedAt: instant(now),
    since: instantOrNull(since),
    isComplete: lists.every(({ length }) => length < eventsRead),
    items: [...Map.groupBy(seen, ({ kind }) => kind)].map(([kind, changes]) => ({
      kind,
      count: changes.length,
      last: instant(changes[0]!.at),
      things: changes.slice(0, thingsShown).map(({ id, name, at }) => ({ id, name, at: instant(at) })),
    })),
  }
}
