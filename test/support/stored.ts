import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { descriptions } from '../../server/call/models.ts'
import type { SqlValue } from '../../server/engines/database/connection.ts'
import type { DeviceRow } from '../../server/fleet/tables.ts'
import { buildDevice } from './factories.ts'
import type { TestServer } from './server.ts'

/** Reads stored rows, for state that no tested route returns. */
export const stored = <Row>(server: TestServer, sql: string, params: readonly SqlValue[] = []): Promise<Row[]> =>
  server.rows<Row>(sql, ...params)

/** All that is in the database of a server, to search for what must not be stored. */
export async function everythingStored(server: TestServer): Promise<Buffer> {
  if (server.database) {
    const tables = await server.reading((rows) =>
      Promise.all(descriptions.map(({ name }) => rows(`SELECT * FROM ${name}`))),
    )
    return Buffer.from(JSON.stringify(tables))
  }
  const files = (await readdir(server.directory)).filter((name) => name.startsWith('farhand.db'))
  return Buffer.concat(await Promise.all(files.map((name) => readFile(join(server.directory, name)))))
}

interface StoredChange {
  actionType: string
  actorPrincipalId: string | null
  beforeJson: string | null
  afterJson: string | null
}

const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json))

/** Log of changes of a target, oldest first. */
export async function changesOf(server: TestServer, targetId: string) {
  const sql = 'SELECT * FROM authorization_change_logs WHERE targetId = ? ORDER BY rowid'
  return (await stored<StoredChange>(server, sql, [targetId])).map((row) => ({
    action: row.actionType,
    actor: row.actorPrincipalId,
    before: parsed(row.beforeJson),
    after: parsed(row.afterJson),
  }))
}

/** Adds devices without agents to a tenant, oldest first. */
export async function addDevices(server: TestServer, tenantId: string, count: number): Promise<DeviceRow[]> {
  const rows = Array.from({ length: count }, (_, index) => buildDevice({ tenantId }, index))
  await server.write((models, transaction) => models.Device.bulkCreate(rows, { transaction }))
  return rows
}
