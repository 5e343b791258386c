import type { SqlValue } from '../engines/database/connection.ts'
import { accountOf, type Principal } from '../ground/principal.ts'
import type { App } from './call.ts'

/** Call that searches a log of any length. */
export interface LogSearchCall {
  readonly app: Pick<App, 'database' | 'logReads'>
  readonly principal: Pick<Principal, 'id' | 'credential'>
  /** A search ends when nobody waits for its answer any more. */
  closed(): AbortSignal
}

/**
 * Reads for a search: one statement at a time, and accounts alternate. Other reads wait for one statement at most (T26).
 * Resolves without rows where nobody waits for the answer any more.
 */
export async function readLog<Row extends object>(
  { app, principal, closed }: LogSearchCall,
  sql: string,
  params: readonly SqlValue[],
): Promise<Row[]> {
  const read = () => app.database.all<Row>(sql, params)
  return (await app.logReads.run(accountOf(principal), read, closed())) ?? []
}
