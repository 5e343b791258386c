import { auditSentence, isAuditKind } from '../../shared/audit.ts'
import { auditKinds } from '../../shared/audit-kinds.ts'
import type { AuditEventDto } from '../../shared/dtos/audit-event.ts'
import type { AuditEventRow } from '../models/audit-event.ts'

const unnamed = {
  user: 'Somebody',
  'service-account': 'A service account',
  system: 'The server',
  anonymous: 'A visitor',
}

export function presentAuditEvent({ previous: _, seal: __, ...row }: AuditEventRow): AuditEventDto {
  const details = JSON.parse(row.details) as AuditEventDto['details']
  const actorName = row.actorName ?? unnamed[row.actorKind]
  return {
    ...row,
    at: new Date(row.at).toISOString(),
    category: isAuditKind(row.kind) ? auditKinds[row.kind].category : 'server',
    details,
    sentence: auditSentence({ ...row, actorName, details }),
  }
}
