import { minuteMs } from '../../shared/durations.ts'
import type { App } from '../call/call.ts'
import { AppError } from '../ground/errors.ts'
import type { Principal } from '../ground/principal.ts'
import { isManagement } from './rights-comparison.ts'
import { rulesOfUser } from '../rights/rights.ts'

/** Validity of a proof of identity for sensitive requests. */
const proofLifetimeMs = 10 * minuteMs

/**
 * Rejects a session without a recent proof of identity: another person may use the computer, or have stolen the cookie
 * (T31). Does not apply to keys and tokens, which have no user to ask. Throws 403.
 */
export function refuseOldProof({ sessions, clock }: App, principal: Principal | undefined): void {
  if (principal?.credential.kind !== 'Session') {
    return
  }
  const provedAt = sessions.provedAt(principal.credential.sessionId) ?? 0
  if (clock.now() - provedAt > proofLifetimeMs) {
    throw new AppError(403, 'Confirm with your password or a code that it is you, then try again.', {
      code: 'reauthentication-required',
    })
  }
}

interface Asker {
  app: App
  principal: Principal
}

/**
 * Rejects a session of our page without a recent proof for a change of somebody or something that holds management
 * permissions (T31). Sessions of other programs work as the interface describes.
 */
export function askProofFor({ app, principal }: Asker, permissionNames: Iterable<string>): void {
  const { credential } = principal
  const isAsked = credential.kind === 'Session' && app.sessions.isOfPage(credential.sessionId)
  if (isAsked && [...permissionNames].some(isManagement)) {
    refuseOldProof(app, principal)
  }
}

/** Asks for a recent proof before a change of a user with management permissions, of its own or of a group. */
export const askProofForUser = (asker: Asker, userId: string): void =>
  askProofFor(asker, namesOf(rulesOfUser(asker.app, userId)))

/** Asks for a recent proof before a change of a group or a service account with management permissions. */
export const askProofForHolder = (asker: Asker, holderId: string): void =>
  askProofFor(asker, namesOf(asker.app.rules.of(holderId)))

const namesOf = (rules: readonly { permissionName: string }[]) => rules.map(({ permissionName }) => permissionName)
