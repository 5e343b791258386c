import type { Models } from '../models/index.ts'
import type { Rule } from './evaluate.ts'

/** The permission assignments of every principal, in memory: evaluating a right asks no database. */
export class Rules {
  readonly #models: Models
  #byPrincipal = new Map<string, Rule[]>()

  constructor(models: Models) {
    this.#models = models
  }

  /** Reads every row; call at start and after each change of assignments. */
  async load(): Promise<void> {
    const rows = await this.#models.PermissionAssignment.findAll()
    this.#byPrincipal = Map.groupBy(
      rows.map((row) => row.get({ plain: true })),
      (row) => row.principalId,
    )
  }

  of(principalId: string): readonly Rule[] {
    return this.#byPrincipal.get(principalId) ?? []
  }
}
