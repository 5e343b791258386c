import { cutText } from '../../shared/cut-text.ts'
import type { AuditActorKind, AuditDetails, AuditOutcome } from '../../shared/audit.ts'
import type { AuditKind } from '../../shared/audit-kinds.ts'
import type { Actor } from '../ground/actor.ts'
import type { AuditEventRow } from './tables.ts'

/** User, token, group or file that an event is about. */
export interface AuditTarget {
  kind:
    | 'user'
    | 'service-account'
    | 'token'
    | 'key'
    | 'group'
    | 'customer'
    | 'tenant'
    | 'tag'
    | 'invite'
    | 'setting'
    | 'file'
    | 'rights'
    | 'alert'
  id?: string | null
  name?: string | null
}

export interface AuditEvent<K extends AuditKind = AuditKind> {
  kind: K
  /** Success if omitted. */
  outcome?: AuditOutcome
  /** Tenant whose readers see the event: by default the device's, else the actor's. Null: readers of the server. */
  tenantId?: string | null
  target?: AuditTarget | undefined
  device?: { id: string; tenantId: string; name: string; alias?: string | null } | undefined
  /** Never secrets: only the names that the kind declares. */
  details?: AuditDetails<K>
}

/** Longest text of a column, and of a detail. */
export const longestText = 512
const longestDetail = 256
/** Longest path of a file event, as long as Linux takes them: nobody hides its end behind a long beginning (T45). */
export const longestPath = 4_096
const pathDetails: ReadonlySet<string> = new Set(['folder', 'to'])
/** A sealed text cannot be cut; this is above that of the longest command. */
const longestSealed = 40 * 1024

const textOf = (text: string | null | undefined, longest = longestText) =>
  text == null ? null : cutText(text, longest)

const longestOf = (detail: string) =>
  detail.startsWith('sealed') ? longestSealed : pathDetails.has(detail) ? longestPath : longestDetail

const detailsOf = (details: Readonly<Record<string, unknown>>) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(details)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, typeof value === 'string' ? cutText(value, longestOf(name)) : value]),
    ),
  )

/** Columns of an event that do not depend on its place in the chain. */
export type EventColumns = Omit<AuditEventRow, 'id' | 'previous' | 'hash' | 'seal'>

const actorKindOf = ({ type, remoteAddress, source }: Actor): AuditActorKind =>
  source.isGuest ? 'guest' : type === 'system' && remoteAddress !== null ? 'anonymous' : type

export function columnsOf(actor: Actor, event: AuditEvent, at: number): EventColumns {
  const { source } = actor
  const { target, device, details = {} } = event
  return {
    at,
    kind: event.kind,
    outcome: event.outcome ?? 'success',
    count: 1,
    tenantId: event.tenantId !== undefined ? event.tenantId : (device?.tenantId ?? source.tenantId),
    actorKind: actorKindOf(actor),
    actorId: actor.id,
    actorName: textOf(source.name),
    credentialKind: source.credential?.kind ?? null,
    credentialId: source.credential?.id ?? null,
    address: textOf(actor.remoteAddress),
    browser: textOf(source.browser),
    targetKind: target?.kind ?? null,
    targetId: textOf(target?.id),
    targetName: textOf(target?.name, target?.kind === 'file' ? longestPath : longestText),
    deviceId: device?.id ?? null,
    deviceName: device ? textOf(device.alias || device.name) : null,
    details: detailsOf(details),
  }
}
