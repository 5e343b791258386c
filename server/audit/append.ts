import { DataTypes, type Transaction } from 'sequelize'
import type { Database } from '../engines/database/database.ts'
import type { Sealer } from '../engines/secrets/sealer.ts'
import { hashOf, noHash, sealOfHead, sealOfRow } from './chain.ts'
import type { EventColumns } from './event.ts'
import { AuditEvent, type AuditEventRow } from './tables.ts'

/*
 * SQL, because appending is part of most writes: a model takes three times as long.
 */

/**
 * Place that the next row continues, as the trigger of the table asks for it. A log whose rows or head somebody removed goes
 * on behind the gap: the gap stays visible, and the server starts.
 */
export const placeSql = `SELECT max(ifnull((SELECT lastId FROM audit_head), 0),
    ifnull((SELECT max(id) FROM audit_events), 0), ifnull((SELECT max(lastId) FROM audit_stubs), 0)) AS lastId,
  ifnull((SELECT hash FROM audit_events ORDER BY id DESC LIMIT 1),
    (SELECT hash FROM audit_stubs ORDER BY lastId DESC LIMIT 1)) AS hash`

const nextHeadSql = `INSERT INTO audit_head (id, lastId, hash, seal) VALUES ('server', ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET lastId = excluded.lastId, hash = excluded.hash, seal = excluded.seal`

const columns = Object.entries(AuditEvent.columns)

const valueOf = ([name, { type }]: (typeof columns)[number]) =>
  type === DataTypes.INTEGER ? `CAST(u.value ->> '${name}' AS BIGINT)` : `u.value ->> '${name}'`

/** Appends a JSON array of rows, in its order. */
const insertRowsSql = `INSERT INTO audit_events (${columns.map(([name]) => name).join()})
  SELECT ${columns.map(valueOf).join()} FROM jsonb_each(?) AS u ORDER BY u.key`

export interface Place {
  lastId: number
  /** Null before the first row. */
  hash: string | null
}

/** Appends events to the chain: hashed, sealed, and with the head that names the newest. Returns the answers to its statements. */
export function appendRows(
  { database, sealer }: { database: Database; sealer: Sealer },
  transaction: Transaction,
  { place, events }: { place: Place | undefined; events: readonly EventColumns[] },
): Promise<unknown>[] {
  let id = place?.lastId ?? 0
  let previous = place?.hash ?? noHash
  const rows = events.map((event): AuditEventRow => {
    const row = { ...event, id: ++id, previous }
    previous = hashOf(row)
    return { ...row, hash: previous, seal: sealOfRow(sealer, previous) }
  })
  const seal = sealOfHead(sealer, { lastId: id, hash: previous })
  return [
    database.allIn(transaction, insertRowsSql, [JSON.stringify(rows)]),
    database.allIn(transaction, nextHeadSql, [id, previous, seal]),
  ]
}
