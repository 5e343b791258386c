import type { CurrentUserDto, SignInResponseDto, UserResponseDto } from '../../shared/dtos/user.ts'
import type { UserRow } from '../models/user.ts'

export const presentCurrentUser = (user: UserRow, { isOnline }: { isOnline: boolean }): CurrentUserDto => ({
  id: user.id,
  userName: user.userName,
  email: user.email,
  createdAt: new Date(user.createdAt).toISOString(),
  isOnline,
  requirePasswordChange: user.isPasswordChangeRequired,
  twoFactorEnabled: user.isTwoFactorEnabled,
  emailConfirmed: user.isEmailConfirmed,
  tenantId: user.tenantId,
})

type AdministeredUser = Pick<UserRow, 'id' | 'userName' | 'email' | 'createdAt'> &
  Pick<UserResponseDto, 'permissions' | 'displayName'>

export const presentUser = (user: AdministeredUser): UserResponseDto => ({
  id: user.id,
  userName: user.userName,
  email: user.email,
  createdAt: new Date(user.createdAt).toISOString(),
  permissions: user.permissions,
  displayName: user.displayName,
})

/** Outcome of a sign-in: the user, or the reason of the rejection. */
export const presentSignInOutcome = ({
  user,
  refusal,
}: {
  user?: UserRow | undefined
  refusal?: string | undefined
}): SignInResponseDto => ({
  isLockedOut: refusal === 'LockedOut',
  requiresTwoFactor: refusal === 'RequiresTwoFactor',
  requiresPasswordChange: refusal === 'RequiresPasswordChange',
  requiresEmailConfirmation: refusal === 'NotAllowed',
  isDisabled: refusal === 'Disabled',
  user: user ? presentCurrentUser(user, { isOnline: false }) : null,
})
