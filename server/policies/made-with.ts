import type { PermissionName } from '../../shared/access.ts'
import type { App } from '../call.ts'
import { forbidden } from '../errors.ts'
import type { Principal } from '../principal.ts'
import type { Resource } from './evaluate.ts'
import { covers, evaluator } from './evaluate.ts'
import { firstHandRight, ruleSetsOf, tokensAllow } from './rights.ts'

/** A permission, and what it is used on. */
export interface Use {
  permission: PermissionName
  on: Resource
}

/** The tokens that a right hangs on: those of an allow that counts, and as few as there are. */
function tokensBehind(app: App, principal: Principal, { permission, on }: Use): readonly string[] {
  const stillAllows = tokensAllow(app, permission)
  const bindings = ruleSetsOf(app, principal).flatMap(({ rules, holder }) => {
    const counting = rules().filter(
      (rule) => rule.boundTo && covers(rule, on) && evaluator([rule], permission, holder, stillAllows)(on),
    )
    return counting.map(({ boundTo = [] }) => boundTo)
  })
  return bindings.toSorted((a, b) => a.length - b.length)[0] ?? []
}

function makersOf(app: App, principal: Principal, uses: readonly Use[]): readonly string[] {
  const { credential, madeWith } = principal
  if (credential.kind === 'PersonalAccessToken' && credential.mode === 'Restricted') {
    if (madeWith) {
      throw forbidden(
        'A token that was made with another token makes and gives nothing. Use the first one, or sign in.',
      )
    }
    return [credential.id]
  }
  if (madeWith) {
    return [madeWith]
  }
  const secondHand = uses.filter(({ permission, on }) => !firstHandRight(app, principal, permission)(on))
  return secondHand.flatMap((use) => tokensBehind(app, principal, use))
}

/**
 * The restricted token that limits what a principal makes or gives by some permissions: its own, or the one that
 * these permissions came from. Null where they came from people. Throws 403 where what was made could not be bound.
 */
export function makerOf(app: App, principal: Principal, uses: readonly Use[]): string | null {
  const makers = new Set(makersOf(app, principal, uses))
  if (makers.size > 1) {
    throw forbidden('What allows this to you was given with several tokens: what you make could not be bound to all.')
  }
  return [...makers][0] ?? null
}

/** Throws 403 for what a restricted token does not hold itself, and so cannot give (decision 0022). */
export function checkTokenHolds(app: App, tokenId: string | null, uses: readonly Use[]): void {
  const beyond =
    tokenId === null ? undefined : uses.find(({ permission, on }) => !tokensAllow(app, permission)(tokenId, on))
  if (beyond) {
    throw forbidden(
      `A restricted token gives only what it holds itself, and it does not hold ${beyond.permission} there.`,
    )
  }
}
