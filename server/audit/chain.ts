import { createHash } from 'node:crypto'
import type { Database } from '../engines/database/database.ts'
import type { AuditEventRow, AuditHeadRow, AuditMarkRow, AuditStubRow } from './tables.ts'
import type { Sealer } from '../engines/secrets/sealer.ts'

/** Columns in the order of the canonical encoding; `previous` is last. */
const hashed = [
  'id',
  'at',
  'kind',
  'outcome',
  'count',
  'tenantId',
  'actorKind',
  'actorId',
  'actorName',
  'credentialKind',
  'credentialId',
  'address',
  'browser',
  'targetKind',
  'targetId',
  'targetName',
  'deviceId',
  'deviceName',
  'details',
  'previous',
] as const satisfies readonly (keyof AuditEventRow)[]

export type Unsealed = Omit<AuditEventRow, 'hash' | 'seal'>

/**
 * SHA-256, in hexadecimal, of the canonical encoding: a JSON array of the version 1 and the columns, in UTF-8, without
 * blanks. Texts hold no lone surrogates, so the encoding of a row is unique.
 */
export const hashOf = (row: Unsealed): string =>
  createHash('sha256')
    .update(JSON.stringify([1, ...hashed.map((column) => row[column])]))
    .digest('hex')

const signed = (sealer: Sealer, text: string, context: string) => sealer.sign(text, context).toString('hex')

/** Seals: without the master key of the secret store, nobody can write a row that verifies. */
export const sealOfRow = (sealer: Sealer, hash: string): string => signed(sealer, hash, 'audit/event')

export const sealOfHead = (sealer: Sealer, { lastId, hash }: Pick<AuditHeadRow, 'lastId' | 'hash'>): string =>
  signed(sealer, JSON.stringify([lastId, hash]), 'audit/head')

/** Head of the log; undefined before the first event. */
export async function readHead({ all }: Pick<Database, 'all'>): Promise<AuditHeadRow | undefined> {
  const [head] = await all<AuditHeadRow>('SELECT * FROM audit_head')
  return head
}

/** Whether a holder of this master key wrote the head. */
export const isSealedBy = (sealer: Sealer, head: AuditHeadRow): boolean => head.seal === sealOfHead(sealer, head)

export const sealOfNote = (
  sealer: Sealer,
  { lastId, hash, at }: { lastId: number; hash: string; at: number },
): string => signed(sealer, JSON.stringify([lastId, hash, at]), 'audit/note')

export const sealOfStub = (
  sealer: Sealer,
  { firstId, lastId, firstAt, lastAt, cutAt, hash }: Omit<AuditStubRow, 'seal'>,
): string => signed(sealer, JSON.stringify([firstId, lastId, firstAt, lastAt, cutAt, hash]), 'audit/stub')

export const sealOfMark = (sealer: Sealer, { lastId, at }: Omit<AuditMarkRow, 'seal'>): string =>
  signed(sealer, JSON.stringify([lastId, at]), 'audit/mark')

/** Previous hash of the very first row. */
export const noHash = ''
