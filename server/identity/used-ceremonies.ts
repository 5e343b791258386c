import { randomUUID } from 'node:crypto'
import { RecentEntries } from '../ground/recent-entries.ts'

/** More than strangers can use up before a ceremony expires: attempts are limited per address. */
const maxUsed = 50_000

/** Ids of ended ceremonies of this run: no other run's ceremony is accepted, since nobody knows whether it was used. */
export class UsedCeremonies {
  readonly run = randomUUID()
  readonly #used = new RecentEntries<true>(maxUsed)

  has(id: string): boolean {
    return this.#used.has(id)
  }

  use(id: string): void {
    this.#used.set(id, true)
  }
}
