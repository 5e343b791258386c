import type { Database } from '../engines/database/database.ts'
import type { AuditEventRow } from './tables.ts'
import type { EventColumns } from './event.ts'

/** Sessions of the previous run without an end: the server was killed. */
const openSessions = `SELECT * FROM audit_events AS began
  WHERE id > (SELECT ifnull(max(id), 0) FROM audit_events WHERE kind = 'server.started') AND kind = 'session.began'
    AND details ->> 'sessionId' NOT IN (
      SELECT details ->> 'sessionId' FROM audit_events AS ended
      WHERE ended.id > (SELECT ifnull(max(id), 0) FROM audit_events WHERE kind = 'server.started')
        AND ended.kind IN ('session.ended', 'session.cut')
    )
  ORDER BY id`

/** Events that end the sessions which the previous run left open. */
export async function endsOfOpenSessions(database: Database, at: number): Promise<EventColumns[]> {
  const open = await database.all<AuditEventRow>(openSessions)
  return open.map(({ id: _id, previous: _previous, hash: _hash, seal: _seal, ...columns }) => {
    const began = JSON.parse(columns.details) as Record<string, string>
    const details = JSON.stringify({ ...began, reason: 'The server stopped without ending it.' })
    return { ...columns, at, kind: 'session.ended', details }
  })
}
