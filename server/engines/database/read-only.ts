import { openConnection } from './connection.ts'
import { pathsIn } from './folder.ts'
import type { PostgresOptions } from './options.ts'
import type { Readers } from './postgres/connections.ts'

/** Opens the data of a folder, or the database server that keeps it, for reading beside a running server. */
export async function openForReading(directory: string, postgres: PostgresOptions | undefined): Promise<Readers> {
  if (!postgres) {
    return openConnection(pathsIn(directory).database, 'reader')
  }
  const { createReaders } = await import('./postgres/connections.ts')
  return createReaders(postgres.place, () => {})
}
