import { auditSentence, isAuditKind } from '../../shared/audit.ts'
import { auditKinds } from '../../shared/audit-kinds.ts'
import type { AuditEventDto } from '../../shared/dtos/audit-event.ts'
import type { AuditEventRow } from '../models/audit-event.ts'

/** Names and commands for a reader of the log. */
export interface Reader {
  /** Present name of a user. */
  nameOf(id: string): string | undefined
  /** Command that was sealed. */
  commandIn(sealed: string): string
}

/** Name of a user on every page, with the recorded name beside it: nobody can choose that one. */
function namedNow({ nameOf }: Reader, id: string | null, recorded: string | null): string | null {
  const name = id === null ? undefined : nameOf(id)
  if (name === undefined || recorded === null || name === recorded) {
    return recorded
  }
  return name.endsWith(`(${recorded})`) ? name : `${name} (${recorded})`
}

export function presentAuditEvent({ previous: _, seal: __, ...row }: AuditEventRow, reader: Reader): AuditEventDto {
  const { sealedCommand, ...shown } = JSON.parse(row.details) as AuditEventDto['details']
  const details = typeof sealedCommand === 'string' ? { ...shown, command: reader.commandIn(sealedCommand) } : shown
  const actorName = row.actorKind === 'user' ? namedNow(reader, row.actorId, row.actorName) : row.actorName
  const targetName = namedNow(reader, row.targetId, row.targetName)
  return {
    ...row,
    at: new Date(row.at).toISOString(),
    category: isAuditKind(row.kind) ? auditKinds[row.kind].category : 'server',
    details,
    sentence: auditSentence({ ...row, actorName, targetName, details }),
  }
}
