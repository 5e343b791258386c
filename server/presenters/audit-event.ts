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

type Accounts = { nameOf(id: string): string | undefined }

/** Name of a user on every page, with the recorded name beside it: nobody can choose that one. */
function namedNow(accounts: Accounts, id: string | null, recorded: string | null): string | null {
  const name = id === null ? undefined : accounts.nameOf(id)
  return name === undefined || recorded === null || name.includes(recorded) ? recorded : `${name} (${recorded})`
}

export function presentAuditEvent({ previous: _, seal: __, ...row }: AuditEventRow, accounts: Accounts): AuditEventDto {
  const details = JSON.parse(row.details) as AuditEventDto['details']
  const actorName = namedNow(accounts, row.actorId, row.actorName) ?? unnamed[row.actorKind]
  const targetName = namedNow(accounts, row.targetId, row.targetName)
  return {
    ...row,
    at: new Date(row.at).toISOString(),
    category: isAuditKind(row.kind) ? auditKinds[row.kind].category : 'server',
    details,
    sentence: auditSentence({ ...row, actorName, targetName, details }),
  }
}
