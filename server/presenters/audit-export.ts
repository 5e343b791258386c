import type { AuditEventRow } from '../models/audit-event.ts'
import { presentAuditEvent } from './audit-event.ts'

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

/** Beginning of a text, or of a cell for spreadsheets that separate by semicolon or tab and ignore the quotes. */
const formulas = /(^|[;\t\r\n])(?=\s*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20])/g

/** Quotes a value; a spreadsheet would run a text that begins like a formula (T03). */
function cell(value: string | number | object | null): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
  const inert = text.replace(/^(?=[\t\r\n])/, "'").replaceAll(formulas, "$1'")
  return `"${inert.replaceAll('"', '""')}"`
}

/** Rows of a CSV file, with a heading. */
async function* csv(pages: AsyncIterable<AuditEventRow[]>) {
  yield `${columns.join(',')}\r\n`
  for await (const page of pages) {
    yield page
      .map(presentAuditEvent)
      .map((event) => `${columns.map((column) => cell(event[column])).join(',')}\r\n`)
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
  format === 'csv' ? csv(pages) : jsonLines(pages)
