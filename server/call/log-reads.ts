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

/** Reads for a search: one statement at a time, and accounts alternate. Other reads wait for one statement at most (T26). */
export const readLog = <Row extends object>(
  { app, principal }: LogSearchCall,
  sql: string,
  params: readonly SqlValue[],
): Promise<Row[]> => app.logReads.run(accountOf(principal), () => app.database.all<Row>(sql, params))
