import { auditKinds, type AuditKind } from '../../shared/audit-kinds.ts'
import type { TimelineSearch } from '../../shared/api/appliance-timeline.ts'
import type { TimelineEntryDto } from '../../shared/dtos/timeline.ts'
import type { App, Call } from '../call/call.ts'
import { connectionChanges, connectionsMs, type ConnectionChange } from '../devices/connections.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { forbidden, notFound } from '../ground/errors.ts'
import { isTokenOfItsOwn } from '../ground/principal.ts'
import { holds } from '../rights/rights.ts'
import { aboutDevice, aboutPerson, readEvents, type Condition } from './audit-entries.ts'
import { orderOf, presenter, type Presenter } from './present-timeline.ts'

/** Kinds that every reader of a device sees; the events for programs show these readers the same. */
const openKinds: readonly AuditKind[] = [
  'device.registered',
  'session.began',
  'session.ended',
  'session.cut',
  'alert.opened',
  'alert.acknowledged',
  'alert.closed',
]

/** A page of a timeline, and the place of the next one. */
interface TimelinePage {
  items: TimelineEntryDto[]
  next: string | null
}

/** Places of a page: only audit events with a smaller id, and changes of the connection with a smaller order. */
interface Places {
  event: number
  change: number
}

const placesOf = (before: string | undefined): Places => {
  const [event = Number.MAX_SAFE_INTEGER, change = Number.MAX_SAFE_INTEGER] = before?.split('.').map(Number) ?? []
  return { event, change }
}

function kindsIn(groups: TimelineSearch['groups']): Condition[] {
  if (groups === undefined) {
    return []
  }
  const kinds = Object.entries(auditKinds).flatMap(([name, { category }]) => (groups.includes(category) ? [name] : []))
  return [[`kind IN (SELECT value FROM json_each(?))`, JSON.stringify(kinds)]]
}

interface Sources {
  about: readonly Condition[]
  filters: readonly Condition[]
  /** Changes of the connection, newest first. */
  changes: readonly ConnectionChange[]
  present: Presenter
}

/** Merges both sources by time, each in its own order, up to where the audit log was read. */
async function pageOf(
  { database, clock }: App,
  { groups, before, limit }: TimelineSearch,
  { about, filters, changes: all, present }: Sources,
): Promise<TimelinePage> {
  const places = placesOf(before)
  const { rows, reached } = await readEvents(database, about, {
    before: places.event,
    since: clock.now() - connectionsMs,
    limit,
    filters: [...kindsIn(groups), ...filters],
  })
  const isWanted = groups === undefined || groups.includes('connection')
  const changes = isWanted ? all.filter((change) => orderOf(change) < places.change) : []
  const items: TimelineEntryDto[] = []
  let [event, change] = [0, 0]
  while (items.length < limit) {
    const [row, other] = [rows[event], changes[change]]
    if (row && (!other || row.at >= other.at)) {
      items.push(present.event(row))
      event++
    } else if (other && (row ?? (!reached || other.at >= reached.at))) {
      items.push(present.change(other))
      change++
    } else {
      break
    }
  }
  const lastRow = event === rows.length ? (reached ?? rows.at(-1)) : rows[event - 1]
  const lastChange = changes[change - 1]
  const isOver = event === rows.length && change === changes.length && !reached
  return {
    items,
    next: isOver ? null : `${lastRow?.id ?? places.event}.${lastChange ? orderOf(lastChange) : places.change}`,
  }
}

/** Timeline of a device, as far as the caller may see it. */
export async function deviceTimeline(call: Call, device: DeviceState, search: TimelineSearch): Promise<TimelinePage> {
  const { app, principal } = call
  if (principal.credential.kind === 'LogonToken') {
    throw forbidden('A link to a device does not show who worked on it.')
  }
  const isAuditReader =
    holds(app, principal, 'appliance.audit.read', device.tenantId) || holds(app, principal, 'appliance.audit.read')
  const open: Condition = [
    'kind IN (SELECT value FROM json_each(?)) OR +actorId = ?',
    JSON.stringify(openKinds),
    isTokenOfItsOwn(principal) ? '' : principal.id,
  ]
  return pageOf(app, search, {
    about: aboutDevice(device.id),
    // A device that enrolled in another organization takes nothing of its former one along (T41).
    filters: [['+tenantId = ?', device.tenantId], ...(isAuditReader ? [] : [open])],
    changes: await connectionChanges(app, device, app.clock.now() - connectionsMs),
    present: presenter(app, { isAuditReader, device }),
  })
}

/** Timeline of a person of a tenant: events of this tenant, or for readers of the whole server all. */
export async function personTimeline(
  call: Call,
  tenantId: string,
  userId: string,
  search: TimelineSearch,
): Promise<TimelinePage> {
  const { app, principal } = call
  if (app.accounts.get(userId)?.tenantId !== tenantId) {
    throw notFound('user')
  }
  return pageOf(app, search, {
    about: aboutPerson(userId),
    filters: holds(app, principal, 'appliance.audit.read') ? [] : [['+tenantId = ?', tenantId]],
    changes: [],
    present: presenter(app, { isAuditReader: true }),
  })
}
