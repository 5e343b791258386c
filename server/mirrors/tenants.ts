import type { Touched } from '../database.ts'
import { keysIn, Mirror } from './mirror.ts'

/** Mirror of the tenants, of which only the ids are needed. */
export class Tenants extends Mirror<{ key: string }, string> {
  protected readonly sql = 'SELECT id AS key FROM tenants'

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'tenants')
  }

  protected override entryOf({ key }: { key: string }): string {
    return key
  }

  has(id: string): boolean {
    return this.held.has(id)
  }

  get size(): number {
    return this.held.size
  }
}
