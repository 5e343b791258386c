import type { AuditEventRow } from '../models/audit-event.ts'
import { presentAuditEvent, type Reader } from './audit-event.ts'
import { csvFile, line } from './csv.ts'

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
