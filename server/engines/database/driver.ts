import * as declared from 'sqlite3'

export type { Database, Statement } from 'sqlite3'

/** Driver of SQLite: its module exports as default what its types declare as members. */
export const sqlite3 = (declared as unknown as { default: typeof declared }).default
