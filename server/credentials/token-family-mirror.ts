import type { Touched } from '../engines/database/database.ts'
import type { TokenFamilyRow } from './tables.ts'
import { LastSeen } from './last-seen.ts'
import { keysIn, Mirror, type MirrorDependencies } from '../call/mirrors/mirror.ts'

export type TokenFamily = Pick<TokenFamilyRow, 'id' | 'userId'>

/** Mirror of the bearer sign-ins that have not ended, so that checking an access token needs no query. */
export class TokenFamilies extends Mirror<TokenFamily & { key: string }, TokenFamily> {
  protected readonly sql = 'SELECT id AS key, id, userId FROM token_families'
  readonly seen: LastSeen

  constructor(deps: Omit<MirrorDependencies, 'models'>) {
    super(deps.database)
    this.seen = new LastSeen(deps, 'token_families', 'id')
  }

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'token_families')
  }

  protected override entryOf({ id, userId }: TokenFamily): TokenFamily {
    return { id, userId }
  }

  get(id: string): TokenFamily | undefined {
    return this.held.get(id)
  }
}
