import type { App } from '../call.ts'
import { AppError } from '../errors.ts'
import type { Principal } from '../principal.ts'

/** For how long a session counts as that of its user, who signed in or proved it again, where it matters most. */
const proofLifetimeMs = 10 * 60 * 1000

/**
 * Refuses a session whose user has not proved for a while who they are: somebody else may sit there, or have taken the
 * cookie (T31). Keys and tokens have nobody to ask. Throws 403.
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
