import { z } from 'zod'
import { newPassword, passwordRules } from '../../shared/dtos/user.ts'
import { AppError } from '../ground/errors.ts'

/** Errors by the codes that clients of the stock identity endpoints know. */
type IdentityErrors = Record<string, string>

/** Builds the 400 of the stock identity endpoints, with error codes in place of field names. */
export const identityFailure = (errors: IdentityErrors): AppError =>
  new AppError(400, Object.values(errors).join(' '), {
    title: 'One or more validation errors occurred.',
    fields: Object.fromEntries(Object.entries(errors).map(([code, sentence]) => [code, [sentence]])),
  })

function passwordErrors(password: string): IdentityErrors {
  const messages = newPassword.safeParse(password).error?.issues.map(({ message }) => message) ?? []
  const broken = Object.entries(passwordRules).filter(([, message]) => messages.includes(message))
  return Object.fromEntries(broken.map(([code, message]) => [code, `The password ${message}.`]))
}

const emailErrors = (email: string): IdentityErrors =>
  z.email().safeParse(email).success ? {} : { InvalidEmail: `Email '${email}' is invalid.` }

function rejectIfAny(errors: IdentityErrors) {
  if (Object.keys(errors).length > 0) {
    throw identityFailure(errors)
  }
}

export const checkNewPassword = (password: string): void => rejectIfAny(passwordErrors(password))

export const checkEmail = (email: string): void => rejectIfAny(emailErrors(email))

export const checkRegistration = ({ email, password }: { email: string; password: string }): void =>
  rejectIfAny({ ...emailErrors(email), ...passwordErrors(password) })
