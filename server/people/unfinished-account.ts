import type { App } from '../call/call.ts'
import type { Principal } from '../ground/principal.ts'
import { AppError } from '../ground/errors.ts'

/** Rejects every other request of a user whose password must be changed, with any credential. Throws 403. */
export function refusePendingPasswordChange({ accounts }: App, principal: Principal | undefined): void {
  if (principal?.kind === 'User' && accounts.get(principal.id)?.isPasswordChangeRequired) {
    const error = 'Password change required.'
    throw new AppError(403, error, { formerBody: { error } })
  }
}

/** Time from which a principal is rejected for want of a second factor; null if never. */
export function secondFactorDueAt({ accounts, tenants }: App, principal: Principal): number | null {
  const account = principal.kind === 'User' ? accounts.get(principal.id) : undefined
  return account?.lacksSecondFactor ? (tenants.get(account.tenantId)?.secondFactorFrom ?? null) : null
}

/** True from the date on for a user without the second factor that the tenant requires. */
export function isSecondFactorMissing(app: App, principal: Principal): boolean {
  const dueAt = secondFactorDueAt(app, principal)
  return dueAt !== null && dueAt <= app.clock.now()
}

/**
 * Rejects a user without the second factor that the tenant requires, with any credential: a token must not be a way
 * around. Throws 403.
 */
export function refuseMissingSecondFactor(app: App, principal: Principal | undefined): void {
  if (principal && isSecondFactorMissing(app, principal)) {
    throw new AppError(
      403,
      'Your organization requires a second factor. Set up an authenticator app or a passkey under your account.',
      { code: 'second-factor-required' },
    )
  }
}

/** Rejects a user who must change the password or set up a second factor first. Throws 403. */
export function refuseUnfinishedAccount(app: App, principal: Principal): void {
  refusePendingPasswordChange(app, principal)
  refuseMissingSecondFactor(app, principal)
}
