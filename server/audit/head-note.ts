import { join } from 'node:path'
import { z } from 'zod'
import type { SqlValue } from '../engines/database/connection.ts'
import { readFileIfThere, replaceFile } from '../ground/durable-file.ts'
import type { Sealer } from '../engines/secrets/sealer.ts'
import { sealOfNote } from './chain.ts'

const Note = z.object({ lastId: z.int(), hash: z.string(), at: z.number() })

/** The newest row of the audit log at a time. */
export type NotedHead = z.output<typeof Note>

/**
 * File beside the database that names the newest row: a log that was emptied, or an older copy of the database, does not
 * reach it. Lags behind the log by some seconds.
 */
export class HeadNote {
  readonly path: string
  readonly #sealer: Sealer

  constructor(directory: string, sealer: Sealer) {
    this.path = join(directory, 'audit-head.json')
    this.#sealer = sealer
  }

  /** The note; `changed` if this server did not write it; undefined without one. */
  async read(): Promise<NotedHead | 'changed' | undefined> {
    const text = await readFileIfThere(this.path)
    if (text === undefined) {
      return undefined
    }
    try {
      const { seal, ...note } = Note.extend({ seal: z.string() }).parse(JSON.parse(text))
      return seal === sealOfNote(this.#sealer, note) ? note : 'changed'
    } catch {
      return 'changed'
    }
  }

  async write(note: NotedHead): Promise<void> {
    await replaceFile(this.path, `${JSON.stringify({ ...note, seal: sealOfNote(this.#sealer, note) })}\n`)
  }
}

interface Source {
  all<Row>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>
}

const notedRow = `SELECT (SELECT hash FROM audit_events WHERE id = ?) AS hash,
  ifnull((SELECT max(id) FROM audit_events), 0) AS lastId,
  EXISTS (SELECT 1 FROM audit_stubs WHERE lastId >= ?) AS isRemoved`

/** Sentence about a log that does not hold the noted row; undefined for one that does, or had it before its retention. */
export async function problemWith(
  note: NotedHead | 'changed' | undefined,
  { all }: Source,
): Promise<string | undefined> {
  if (note === 'changed') {
    return 'The note of the newest row (audit-head.json) was changed.'
  }
  const { lastId: notedId, hash: notedHash } = note ?? { lastId: 0, hash: '' }
  const [row] = await all<{ hash: string | null; lastId: number; isRemoved: number }>(notedRow, [notedId, notedId])
  if (!note || !row || row.hash === notedHash || row.isRemoved === 1) {
    return undefined
  }
  const why = 'The log was emptied, or an older copy of the database was put back.'
  return row.lastId < notedId
    ? `The log ends at row ${row.lastId}, and this server wrote row ${notedId}. ${why}`
    : `Row ${notedId} is another one than this server wrote. ${why}`
}
