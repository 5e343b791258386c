import { existsSync } from 'node:fs'
import { instant } from '../ground/instant.ts'
import type { Actor } from '../ground/actor.ts'
import type { Database } from '../engines/database/database.ts'
import { openBare, type Connection } from '../engines/database/connection.ts'
import { pathsIn } from '../engines/database/folder.ts'
import type { AuditEventRow } from './tables.ts'
import type { AuditLog } from './audit-log.ts'

/** Entries compared at once, from the newest on. */
const pageLength = 500

type Row = Pick<AuditEventRow, 'id' | 'hash'>

const page = 'SELECT id, hash FROM audit_events WHERE id < ? ORDER BY id DESC LIMIT ?'
const newestShared = `SELECT max(id) AS id FROM audit_events
  WHERE hash IN (SELECT value ->> 'hash' FROM jsonb_each(?)) AND id IN (SELECT CAST(value ->> 'id' AS BIGINT) FROM jsonb_each(?))`
const later = `SELECT count(*) AS count, min(at) AS firstAt, max(at) AS lastAt, max(id) AS lastId,
  (SELECT hash FROM audit_events ORDER BY id DESC LIMIT 1) AS hash FROM audit_events WHERE id > ?`

interface Later {
  count: number
  firstAt: number
  lastAt: number
  lastId: number
  hash: string
}

/** Id of the newest entry that both logs have; 0 without one. The hash of an entry covers all before it. */
async function lastShared(old: Connection, { all }: Pick<Database, 'all'>): Promise<number> {
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await old.all<Row>(page, [before, pageLength])
    const json = JSON.stringify(rows)
    const [shared] = await all<{ id: number | null }>(newestShared, [json, json])
    const last = rows.at(-1)
    if (shared?.id != null || !last) {
      return shared?.id ?? 0
    }
    before = last.id
  }
}

async function entriesOnlyIn(file: string, present: Pick<Database, 'all'>): Promise<Later | undefined> {
  const old = await openBare(file, 0)
  try {
    const [found] = await old.all<Later>(later, [await lastShared(old, present)])
    return found && found.count > 0 ? found : undefined
  } finally {
    await old.close()
  }
}

/**
 * Records which entries of the log the data in `folder`, which was moved aside, took with it: without this row nobody would
 * know that they existed (T45).
 */
export async function recordReplacedLog(
  { audit, database }: { audit: AuditLog; database: Pick<Database, 'all'> },
  actor: Actor,
  folder: string,
): Promise<void> {
  const file = pathsIn(folder).database
  if (!existsSync(file)) {
    return
  }
  const event = { kind: 'server.audit-log-replaced', tenantId: null } as const
  try {
    const entries = await entriesOnlyIn(file, database)
    if (entries) {
      const { firstAt, lastAt, ...rest } = entries
      await audit.record(actor, {
        ...event,
        details: { ...rest, firstAt: instant(firstAt), lastAt: instant(lastAt), folder },
      })
    }
  } catch (error) {
    const problem = error instanceof Error ? error.message : ''
    await audit.record(actor, { ...event, outcome: 'failure', details: { folder, problem } })
  }
}
