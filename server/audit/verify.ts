import type { SqlValue } from '../engines/database/connection.ts'
import type { AuditEventRow, AuditStubRow } from './tables.ts'
import type { Sealer } from '../engines/secrets/sealer.ts'
import { problemWith, type HeadNote } from './head-note.ts'
import { hashOf, isSealedBy, noHash, readHead, sealOfRow, sealOfStub } from './chain.ts'

export interface ChainCheck {
  holds: boolean
  /** The first problem found; null if the chain holds. */
  problem: string | null
  /** Row that the problem is at; null for another problem. */
  rowId: number | null
  rows: number
  /** Number of rows that were removed after their retention. */
  removed: number
  /** Time of the oldest checked row. */
  firstAt: number | null
  /** When the server last found at its start that newer events were missing; null if never. */
  lostAt: number | null
  /** Newest row and its hash: noted elsewhere, they reveal a log that was replaced by an older one. */
  lastId: number
  hash: string
}

interface Source {
  sealer: Sealer
  note: HeadNote
  all<Row>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>
}

/** Newest row of a part of the chain. */
interface Place {
  lastId: number
  hash: string
}

/** Rows read and hashed before other work gets a chance. */
const pageLength = 500

class Broken extends Error {
  readonly rowId: number | null

  constructor(problem: string, rowId: number | null = null) {
    super(problem)
    this.rowId = rowId
  }
}

/** Checks the stubs; returns the place at which the rows begin. */
async function checkStubs({ all, sealer }: Source): Promise<Place> {
  const start = { lastId: 0, hash: noHash }
  for (const { seal, ...stub } of await all<AuditStubRow>('SELECT * FROM audit_stubs ORDER BY lastId')) {
    if (seal !== sealOfStub(sealer, stub) || stub.firstId !== start.lastId + 1) {
      throw new Broken(`The stub of the removed rows ${stub.firstId} to ${stub.lastId} was changed.`, stub.lastId)
    }
    start.lastId = stub.lastId
    start.hash = stub.hash
  }
  return start
}

/** Why a row does not continue the chain at a place; undefined if it does. */
function problemOf(sealer: Sealer, row: AuditEventRow, place: Place): Broken | undefined {
  const { id } = row
  if (id !== place.lastId + 1) {
    const missing = id === place.lastId + 2 ? `Row ${id - 1} is` : `The rows ${place.lastId + 1} to ${id - 1} are`
    return new Broken(`${missing} missing.`, place.lastId + 1)
  }
  if (row.previous !== place.hash) {
    return new Broken(`Row ${id} does not continue row ${id - 1}: one of them was changed or replaced.`, id)
  }
  if (row.hash !== hashOf(row)) {
    return new Broken(`Row ${id} was changed: its content does not match its hash.`, id)
  }
  if (row.seal !== sealOfRow(sealer, row.hash)) {
    return new Broken(`Row ${id} was not written by this server: its seal is wrong.`, id)
  }
  return undefined
}

/** Returns the leading rows that continue the chain after the newest stub; stops before the first row that does not. */
export function validPrefix(
  sealer: Sealer,
  rows: readonly AuditEventRow[],
  newestStub: AuditStubRow | null,
): readonly AuditEventRow[] {
  let place: Place = { lastId: 0, hash: noHash }
  if (newestStub) {
    const { seal, ...stub } = newestStub
    if (seal !== sealOfStub(sealer, stub)) {
      return []
    }
    place = stub
  }
  const end = rows.findIndex((row) => {
    const problem = problemOf(sealer, row, place)
    place = { lastId: row.id, hash: row.hash }
    return problem !== undefined
  })
  return end === -1 ? rows : rows.slice(0, end)
}

async function checkHead({ all, sealer }: Source, place: Place) {
  const head = await readHead({ all })
  if (!head) {
    if (place.lastId > 0) {
      throw new Broken('The head of the log is missing.')
    }
    return
  }
  if (!isSealedBy(sealer, head)) {
    throw new Broken('The head of the log was changed.')
  }
  // Rows may have been added since the last page was read.
  const [row] = await all<{ hash: string }>('SELECT hash FROM audit_events WHERE id = ?', [head.lastId])
  if (head.lastId < place.lastId || row?.hash !== head.hash) {
    throw new Broken(
      `The log ends at row ${place.lastId}, and this server wrote ${head.lastId}: the newest rows are missing.`,
      place.lastId + 1,
    )
  }
}

/**
 * Checks every row, stub and the head. Proves that rows were written by a holder of the master key of this data folder,
 * that none was changed, removed or inserted since, and that the log reaches the noted row; it cannot prove that the
 * whole folder was not replaced by an older copy of itself.
 */
export async function verifyChain(source: Source): Promise<ChainCheck> {
  const place = { lastId: 0, hash: noHash }
  let rows = 0
  let removed = 0
  let firstAt: number | null = null
  let lostAt: number | null = null
  /** Last removed row when the check began. */
  let began = 0
  const result = (error?: Broken): ChainCheck => ({
    holds: error === undefined,
    problem: error?.message ?? null,
    rowId: error?.rowId ?? null,
    rows,
    removed,
    firstAt,
    lostAt,
    ...place,
  })
  try {
    const note = await source.note.read()
    const [newest] = await source.all<{ lastId: number | null }>('SELECT max(lastId) AS lastId FROM audit_stubs')
    began = newest?.lastId ?? 0
    Object.assign(place, await checkStubs(source))
    removed = place.lastId
    for (;;) {
      const page = await source.all<AuditEventRow>('SELECT * FROM audit_events WHERE id > ? ORDER BY id LIMIT ?', [
        place.lastId,
        pageLength,
      ])
      for (const row of page) {
        const problem = problemOf(source.sealer, row, place)
        if (problem) {
          throw problem
        }
        place.lastId = row.id
        place.hash = row.hash
        rows++
        firstAt ??= row.at
        lostAt = row.kind === 'server.audit-log-lost' ? row.at : lostAt
      }
      if (page.length < pageLength) {
        break
      }
    }
    // Rows in front of the chain, which the pages skip.
    const [early] = await source.all<{ id: number }>('SELECT id FROM audit_events WHERE id <= ? LIMIT 1', [removed])
    if (early) {
      throw new Broken(`Row ${early.id} stands where rows were removed.`, early.id)
    }
    await checkHead(source, place)
    const problem = await problemWith(note, source)
    if (problem !== undefined) {
      throw new Broken(problem)
    }
    return result()
  } catch (error) {
    if (!(error instanceof Broken)) {
      throw error
    }
    // Old rows may have been removed during the check: then begin again.
    const [stub] = await source.all<{ lastId: number }>('SELECT max(lastId) AS lastId FROM audit_stubs')
    return (stub?.lastId ?? 0) > began ? verifyChain(source) : result(error)
  }
}
