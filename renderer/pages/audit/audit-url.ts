import type { AuditFilters } from '../../../shared/api/appliance-audit-log.ts'
import { isAuditKind } from '../../../shared/audit.ts'
import { auditCategories, type AuditCategory } from '../../../shared/audit-categories.ts'
import { auditKinds } from '../../../shared/audit-kinds.ts'
import { capitalized } from '../../text/format.ts'
import * as t from '../../texts.ts'

/** Page state in the address. */
export interface AuditState {
  person: string
  device: string
  /** Name of a kind, or of a category for all of its kinds. */
  kind: string
  /** Days of this browser's time zone, such as 2026-01-31; both are included. */
  from: string
  to: string
  isFailure: boolean
  /** Entry in the details pane. */
  eventId: number | undefined
}

export const noFilters = { person: '', device: '', kind: '', from: '', to: '', isFailure: false }

const isCategory = (name: string): name is AuditCategory => Object.hasOwn(auditCategories, name)

const dayOf = (text: string | null) =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''

export function readAudit(query: URLSearchParams): AuditState {
  const kind = query.get('kind') ?? ''
  const id = Number(query.get('entry'))
  return {
    person: query.get('person') ?? '',
    device: query.get('device') ?? '',
    kind: isCategory(kind) || isAuditKind(kind) ? kind : '',
    from: dayOf(query.get('from')),
    to: dayOf(query.get('to')),
    isFailure: query.has('failures'),
    eventId: Number.isSafeInteger(id) && id > 0 ? id : undefined,
  }
}

export function writeAudit({ person, device, kind, from, to, isFailure, eventId }: AuditState) {
  return new URLSearchParams({
    ...(person && { person }),
    ...(device && { device }),
    ...(kind && { kind }),
    ...(from && { from }),
    ...(to && { to }),
    ...(isFailure && { failures: '1' }),
    ...(eventId !== undefined && { entry: String(eventId) }),
  })
}

/** Longest text that the server accepts. */
export const maxText = 128

/** Filters as the server takes them. */
export function toFilters({ person, device, kind, from, to, isFailure }: AuditState): AuditFilters {
  return {
    ...(person.trim() && { person: person.trim().slice(0, maxText) }),
    ...(device.trim() && { device: device.trim().slice(0, maxText) }),
    ...(isCategory(kind) ? { category: kind } : kind && { kind }),
    ...(from && { from: new Date(`${from}T00:00:00`).toISOString() }),
    ...(to && { to: new Date(`${to}T23:59:59.999`).toISOString() }),
    ...(isFailure && { outcome: 'failure' }),
  }
}

const labelOf = (says: string) => capitalized(says.replaceAll(/\{\w+\}/g, '…'))

/** Choices of the kind filter, in groups. */
export const kindChoices = [
  { value: '', label: t.audit.allKinds },
  ...Object.entries(auditCategories).map(([category, group]) => ({
    group,
    items: [
      { value: category, label: t.audit.wholeCategory(group) },
      ...Object.entries(auditKinds)
        .filter(([, kind]) => kind.category === category)
        .map(([value, { says }]) => ({ value, label: labelOf(says) })),
    ],
  })),
]
