import { join } from 'node:path'
import { openConnection } from '../../server/engines/database/connection.ts'
import { wording } from '../../server/engines/database/postgres/wording.ts'
import { connectTo } from './postgres.ts'
import type { TestServer } from './server.ts'

/** Opens a connection that writes beside a server, like an administrator with a database shell. */
async function openShell({ database, directory }: TestServer) {
  if (database) {
    const client = await connectTo(database.options)
    return { exec: async (sql: string) => void (await client.query(wording(sql))), close: () => client.end() }
  }
  return openConnection(join(directory, 'farhand.db'), 'writer')
}

/** Runs statements beside a server; its mirrors on SQLite do not follow them. */
export async function edit(server: TestServer, sql: string): Promise<void> {
  const shell = await openShell(server)
  try {
    await shell.exec(sql)
  } finally {
    await shell.close()
  }
}

/** Makes the writes of a server wait, as another program does that writes. Returns the function that ends that. */
export async function holdWrites(server: TestServer): Promise<() => Promise<void>> {
  const shell = await openShell(server)
  await shell.exec(server.database ? `BEGIN; ${lockTables}` : 'BEGIN IMMEDIATE')
  return async () => {
    await shell.exec('ROLLBACK')
    await shell.close()
  }
}

/** Lets others read each table, and not write into it. */
const lockTables = `DO $$ DECLARE found record; BEGIN
  FOR found IN SELECT tablename FROM pg_tables WHERE schemaname = 'farhand' LOOP
    EXECUTE format('LOCK TABLE %I IN SHARE MODE', found.tablename);
  END LOOP; END $$`
