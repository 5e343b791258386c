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

/** Sessions without an end on one of several servers. */
const openSessionsOn = `SELECT * FROM audit_events AS began
  WHERE kind = 'session.began' AND details ->> 'serverId' IN (SELECT value FROM json_each(?))
    AND NOT EXISTS (
      SELECT 1 FROM audit_events AS ended WHERE ended.id > began.id AND ended.kind IN ('session.ended', 'session.cut')
        AND ended.details ->> 'sessionId' = began.details ->> 'sessionId'
    )
  ORDER BY id`

function endOf({ id: _id, previous: _previous, hash: _hash, seal: _seal, ...columns }: AuditEventRow, at: number) {
  const { serverId: _server, ...began } = JSON.parse(columns.details) as Record<string, string>
  const details = JSON.stringify({ ...began, reason: 'The server stopped without ending it.' })
  return { ...columns, at, kind: 'session.ended', details } satisfies EventColumns
}

/** Events that end the sessions which the previous run left open. */
export const endsOfOpenSessions = async (database: Database, at: number): Promise<EventColumns[]> =>
  (await database.all<AuditEventRow>(openSessions)).map((row) => endOf(row, at))

/** Events that end the sessions which servers that share the database have left open. */
export const endsOfSessionsOn = async (
  database: Database,
  serverIds: readonly string[],
  at: number,
): Promise<EventColumns[]> =>
  (await database.all<AuditEventRow>(openSessionsOn, [JSON.stringify(serverIds)])).map((row) => endOf(row, at))
