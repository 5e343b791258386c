import type { App } from '../call.ts'
import type { Principal } from '../principal.ts'
import { AppError } from '../errors.ts'

/** Rejects every other request of a user whose password must be changed, with any credential. Throws 403. */
export function refusePendingPasswordChange({ accounts }: App, principal: Principal | undefined): void {
  if (principal?.kind === 'User' && accounts.get(principal.id)?.isPasswordChangeRequired) {
    const error = 'Password change required.'
    throw new AppError(403, error, { formerBody: { error } })
  }
}
