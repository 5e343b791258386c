import type { PermissionName } from '../../shared/access.ts'
import type { App } from '../call/call.ts'
import { forbidden } from '../ground/errors.ts'
import type { Principal } from '../ground/principal.ts'
import { type Resource, covers, evaluator } from './evaluate.ts'
import { firstHandRight, ruleSetsOf, tokensAllow } from './rights.ts'

export interface Use {
  permission: PermissionName
  on: Resource
}

/** Tokens that a right depends on: the smallest set of an allow that counts. */
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
      throw forbidden('A token made with another token cannot make or grant anything. Use the first token, or sign in.')
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
 * The restricted token that limits what a principal makes or grants with some permissions: its own token, or the token
 * that granted these permissions. Null if users granted them. Throws 403 if the result could not be bound to one token.
 */
export function restrictingTokenOf(app: App, principal: Principal, uses: readonly Use[]): string | null {
  const makers = new Set(makersOf(app, principal, uses))
  if (makers.size > 1) {
    throw forbidden(
      'Your rights for this were granted with several tokens, and the result can be bound to only one. Ask an administrator to grant them again.',
    )
  }
  return [...makers][0] ?? null
}

/** Throws 403 for permissions that a restricted token does not hold, and so cannot grant. */
export function checkTokenHolds(app: App, tokenId: string | null, uses: readonly Use[]): void {
  const beyond =
    tokenId === null ? undefined : uses.find(({ permission, on }) => !tokensAllow(app, permission)(tokenId, on))
  if (beyond) {
    throw forbidden(
      `A restricted token can grant only permissions it holds, and it does not hold ${beyond.permission} there.`,
    )
  }
}

/** Throws 403 for a restricted token that manages rights on the server: the work would give it what it does not hold (T04). */
export function refuseRestrictedToken(app: App, principal: Principal): void {
  if (
    restrictingTokenOf(app, principal, [{ permission: 'server.permissions.write', on: { kind: 'Server' } }]) !== null
  ) {
    throw forbidden(
      'A restricted token cannot do this: it would get more rights than it holds. Sign in, or use a token with all your rights.',
    )
  }
}
