import type { AuditEventRow } from '../models/audit-event.ts'
import { presentAuditEvent } from './audit-event.ts'
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
const asRecorded = { nameOf: () => undefined }

async function* csvLines(pages: AsyncIterable<AuditEventRow[]>) {
  for await (const page of pages) {
    yield page
      .map((row) => presentAuditEvent(row, asRecorded))
      .map((event) => line(columns.map((column) => event[column])))
      .join('')
  }
}

/** Each event as stored, a JSON object a line: holds everything that its hash is made of. */
async function* jsonLines(pages: AsyncIterable<AuditEventRow[]>) {
  for await (const page of pages) {
    yield page.map((row) => `${JSON.stringify(row)}\n`).join('')
  }
}

export const auditFile = (format: 'csv' | 'jsonl', pages: AsyncIterable<AuditEventRow[]>): AsyncIterable<string> =>
  format === 'csv' ? csvFile(columns, csvLines(pages)) : jsonLines(pages)
