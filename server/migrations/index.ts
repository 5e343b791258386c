import type { Migration } from '../database.ts'
import { createTables } from './0001-create-tables.ts'

/** In the order in which they run; only ever added to. */
export const migrations: readonly Migration[] = [createTables]
