import { eventData, type EventKind } from '../../shared/dtos/event.ts'
import type { AuditKind } from '../../shared/audit-kinds.ts'
import type { EventColumns } from '../audit/event.ts'
import type { Log } from '../ground/log.ts'
import type { NewEvent } from './stored-events.ts'

/** Event of each audit event, and of its failure. */
const kindOf: Partial<Record<AuditKind, EventKind>> = {
  'device.registered': 'device.registered',
  'device.deleted': 'device.deleted',
  'session.began': 'session.began',
  'session.ended': 'session.ended',
  'session.cut': 'session.ended',
  'batch.started': 'job.started',
  'account.registered': 'person.added',
  'people.user-created': 'person.added',
  'people.invite-accepted': 'person.added',
  'people.invited': 'person.invited',
  'people.user-unlocked': 'person.changed',
  'account.email-changed': 'person.changed',
  'change.user-disabled': 'person.changed',
  'change.user-enabled': 'person.changed',
  'change.user-password-reset': 'person.changed',
  'change.user-two-factor-disabled': 'person.changed',
  'change.user-other-ways-in-removed': 'person.changed',
  'change.user-deleted': 'person.removed',
  'change.permission-assignment-created': 'rights.changed',
  'change.permission-assignment-updated': 'rights.changed',
  'change.permission-assignment-deleted': 'rights.changed',
  'change.permission-assignments-seeded': 'rights.changed',
  'change.user-group-members-added': 'rights.changed',
  'change.user-group-members-removed': 'rights.changed',
  'change.device-group-members-added': 'rights.changed',
  'change.device-group-members-removed': 'rights.changed',
  'alert.opened': 'alert.opened',
  'alert.acknowledged': 'alert.acknowledged',
  'alert.closed': 'alert.closed',
  'backup.made': 'backup.made',
  'backup.checked': 'backup.rehearsed',
  'server.update-started': 'update.started',
  'server.update-back-started': 'update.started',
  'server.update-installed': 'update.installed',
  'server.update-back': 'update.installed',
  'server.started': 'server.started',
  'server.restored': 'server.restored',
}
const failureOf: Partial<Record<AuditKind, EventKind>> = {
  'backup.made': 'backup.failed',
  'backup.checked': 'backup.rehearsal-failed',
  'server.update-installed': 'update.failed',
  'server.update-back': 'update.failed',
}

export interface Placed {
  customerId: string | null
  groupIds: readonly string[]
}

/** Values that kinds may declare, by their names. */
function valuesOf({ kind, actorKind, actorId, actorName, targetName, deviceName, details }: EventColumns) {
  const { batch, ...more } = JSON.parse(details) as Record<string, unknown>
  return {
    from: null,
    to: null,
    computer: null,
    ...more,
    ...(batch !== undefined && { job: batch }),
    name: deviceName ?? targetName,
    what: kind,
    actor: { kind: actorKind, id: actorId, name: actorName },
  }
}

function subjectOf({ deviceId, targetId, details }: EventColumns): string | null {
  const { batchId } = JSON.parse(details) as { batchId?: string }
  return deviceId ?? targetId ?? batchId ?? null
}

interface Dependencies {
  placeOf: (deviceId: string) => Placed | undefined
  log: Log
}

/**
 * The event that follows an audit event; undefined for most. Values that do not fit their description are logged: what
 * is done, and its audit event, do not fail for it.
 */
export function eventOfAudit(columns: EventColumns, { placeOf, log }: Dependencies): NewEvent | undefined {
  const { kind, outcome, at, tenantId, deviceId, actorId } = columns
  const eventKind = (outcome === 'failure' ? failureOf : kindOf)[kind as AuditKind]
  if (eventKind === undefined) {
    return undefined
  }
  const data = eventData.get(eventKind)!.safeParse(valuesOf(columns))
  if (!data.success) {
    log.error({ err: data.error, kind }, 'An event does not fit its description, so programs do not get it.')
    return undefined
  }
  const place = eventKind === 'device.deleted' && deviceId !== null ? placeOf(deviceId) : undefined
  return {
    at,
    kind: eventKind,
    tenantId,
    deviceId,
    subject: subjectOf(columns),
    actorId,
    place: place ? JSON.stringify({ customerId: place.customerId, groupIds: place.groupIds }) : null,
    data: JSON.stringify(data.data),
  }
}
