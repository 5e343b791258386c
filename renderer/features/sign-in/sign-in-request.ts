import type { UseMutationResult } from '@tanstack/react-query'
import type { z } from 'zod'
import type { applianceSession } from '../../../shared/api/appliance-session.ts'

export type SignInRequest = z.input<(typeof applianceSession)['routes']['signIn']['body']>
type SignInResponse = z.output<(typeof applianceSession)['routes']['signIn']['response']>

export type Credentials = Required<Pick<SignInRequest, 'email' | 'password' | 'staySignedIn'>>

/** Props of every sign-in step. */
export interface StepProps {
  credentials: Credentials
  signIn: UseMutationResult<SignInResponse, Error, SignInRequest>
}

/** Failures that end the sign-in without a next step. */
export type Outcome = 'locked' | 'unconfirmed' | 'disabled' | 'wrong'

export function outcomeOf(answer: SignInResponse | undefined): Outcome | undefined {
  if (!answer || answer.user || answer.requiresTwoFactor || answer.requiresPasswordChange) {
    return undefined
  }
  if (answer.isDisabled) {
    return 'disabled'
  }
  return answer.isLockedOut ? 'locked' : answer.requiresEmailConfirmation ? 'unconfirmed' : 'wrong'
}
