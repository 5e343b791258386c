import { DataTypes } from 'sequelize'
import { AuditEvent } from './tables.ts'

const columns = Object.entries(AuditEvent.columns)

const valueOf = ([name, { type }]: (typeof columns)[number]) =>
  type === DataTypes.INTEGER ? `CAST(u.value ->> '${name}' AS BIGINT)` : `u.value ->> '${name}'`

/** Appends a JSON array of rows, in its order. SQL, because this is part of most writes. */
export const insertRowsSql = `INSERT INTO audit_events (${columns.map(([name]) => name).join()})
  SELECT ${columns.map(valueOf).join()} FROM jsonb_each($1) AS u ORDER BY u.key`
