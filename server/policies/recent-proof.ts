import type { App } from '../call.ts'
import { AppError } from '../errors.ts'
import type { Principal } from '../principal.ts'

/** Validity of a proof of identity for sensitive requests. */
const proofLifetimeMs = 10 * 60 * 1000

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
