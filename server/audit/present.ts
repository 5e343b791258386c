import { instant } from '../ground/instant.ts'
import { auditKinds } from '../../shared/audit-kinds.ts'
import { auditSentence, isAuditKind } from '../../shared/audit.ts'
import type { AuditEventDto } from '../../shared/dtos/audit-event.ts'
import { withLinkMaker } from '../ground/principal.ts'
import { csvFile, line } from '../ground/csv.ts'
import type { AuditEventRow } from './tables.ts'

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
  if (recorded.startsWith(withLinkMaker(name, { linkMaker: '' }))) {
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
    at: instant(row.at),
    category: isAuditKind(row.kind) ? auditKinds[row.kind].category : 'server',
    details,
    sentence: auditSentence({ ...row, actorName, targetName, details }),
  }
}

const columns = [
  'id',
  'at',
  'kind',
  'outcome',
  'sentence',
  'count',
  'actorKind',
  'actorName',
  'actorId',
  'credentialKind',
  'credentialId',
  'address',
  'browser',
  'targetKind',
  'targetName',
  'targetId',
  'deviceName',
  'deviceId',
  'details',
  'tenantId',
  'hash',
] as const

/** Names in files are those that were recorded. */
const asRecorded = () => undefined

async function* csvLines(pages: AsyncIterable<AuditEventRow[]>, reader: Reader) {
  for await (const page of pages) {
    yield page
      .map((row) => presentAuditEvent(row, reader))
      .map((event) => line(columns.map((column) => event[column])))
      .join('')
  }
}

/**
 * An event a line, as stored but for its time: holds everything that its hash is made of, its `at` in milliseconds since
 * the epoch. The sentence and the command of a batch are for people.
 */
async function* jsonLines(pages: AsyncIterable<AuditEventRow[]>, reader: Reader) {
  for await (const page of pages) {
    yield page
      .map((row) => {
        const { at, sentence, details } = presentAuditEvent(row, reader)
        const { command } = details
        return `${JSON.stringify({ ...row, at, sentence, command })}\n`
      })
      .join('')
  }
}

export function auditFile(
  format: 'csv' | 'jsonl',
  pages: AsyncIterable<AuditEventRow[]>,
  { commandIn }: Pick<Reader, 'commandIn'>,
): AsyncIterable<string> {
  const reader = { commandIn, nameOf: asRecorded }
  return format === 'csv' ? csvFile(columns, csvLines(pages, reader)) : jsonLines(pages, reader)
}
