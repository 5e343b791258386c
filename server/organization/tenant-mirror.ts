import type { Touched } from '../engines/database/database.ts'
import { keysIn, Mirror } from '../call/mirrors/mirror.ts'

interface Tenant {
  /** Name of the organization, for people at its devices and in mails. */
  name: string
  /** Time from which people need a second factor; null while none is required. */
  secondFactorFrom: number | null
}

export class Tenants extends Mirror<Tenant & { key: string }, Tenant> {
  protected readonly sql = 'SELECT id AS key, name, secondFactorFrom FROM tenants'

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'tenants')
  }

  protected override entryOf({ name, secondFactorFrom }: Tenant): Tenant {
    return { name, secondFactorFrom }
  }

  has(id: string): boolean {
    return this.held.has(id)
  }

  get(id: string): Tenant | undefined {
    return this.held.get(id)
  }

  ids(): Iterable<string> {
    return this.held.keys()
  }

  get size(): number {
    return this.held.size
  }
}
