import type { App } from '../call.ts'
import type { Principal } from '../principal.ts'
import { AppError } from '../errors.ts'

/** A user whose password has to be changed may do nothing else, with any credential. Throws 403. */
export function refusePendingPasswordChange({ accounts }: App, principal: Principal | undefined): void {
  if (principal?.kind === 'User' && accounts.get(principal.id)?.isPasswordChangeRequired) {
    const error = 'Password change required.'
    throw new AppError(403, error, { formerBody: { error } })
  }
}
