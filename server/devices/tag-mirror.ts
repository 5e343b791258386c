import type { Touched } from '../engines/database/database.ts'
import type { TagRow } from './tables.ts'
import { keysIn, Mirror } from '../call/mirrors/mirror.ts'

type Row = TagRow & { key: string }

const none: readonly TagRow[] = []

/** Mirror of the tags, which every page of devices lists. */
export class Tags extends Mirror<Row, TagRow> {
  protected readonly sql = 'SELECT id AS key, id, tenantId, name, type, createdAt FROM tags'
  /** Tags of each tenant, by name; undefined after a change. */
  #byTenant: Map<string, TagRow[]> | undefined

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'tags')
  }

  protected override entryOf({ key: _, ...tag }: Row): TagRow {
    return tag
  }

  protected override changed(): void {
    this.#byTenant = undefined
  }

  get(id: string): TagRow | undefined {
    return this.held.get(id)
  }

  ofTenant(tenantId: string): readonly TagRow[] {
    this.#byTenant ??= Map.groupBy(
      [...this.held.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      (tag) => tag.tenantId,
    )
    return this.#byTenant.get(tenantId) ?? none
  }
}
