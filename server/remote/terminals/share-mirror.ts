import type { Touched } from '../../engines/database/database.ts'
import { keysIn, Mirror } from '../../call/mirrors/mirror.ts'
import type { TerminalShareRow } from './tables.ts'

type Row = TerminalShareRow & { key: string }

/** Mirror of the links that share a terminal. */
export class TerminalShares extends Mirror<Row, TerminalShareRow> {
  protected readonly sql = 'SELECT id AS key, * FROM terminal_shares'

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'terminal_shares')
  }

  protected override entryOf({ key: _, ...row }: Row): TerminalShareRow {
    return { ...row, canType: Boolean(row.canType) }
  }

  find(id: string): TerminalShareRow | undefined {
    return this.held.get(id)
  }
}
