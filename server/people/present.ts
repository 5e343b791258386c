import { instant } from '../ground/instant.ts'
import type { NoticeDto } from '../../shared/api/appliance-notices.ts'
import type { InviteResponseDto } from '../../shared/dtos/invite.ts'
import type { CurrentUserDto, SignInResponseDto, UserResponseDto } from '../../shared/dtos/user.ts'
import { isLoopbackHost } from '../ground/machine.ts'
import type { InviteRow, UserNoticeRow, UserRow } from './tables.ts'

const loopbackNotice =
  'This link opens only on the computer that the server runs on. Turn on "Serve my network" on the Network page, or set ' +
  'Service_Branding__PublicUrl. Then pass on the path of this link with the new address, which the list of invites names.'

/** `origin` starts the link. Only a new invite includes its code. */
export const presentInvite = (row: InviteRow, origin: string, activationCode?: string): InviteResponseDto => ({
  id: row.id,
  createdAt: instant(row.createdAt),
  inviteeEmail: row.inviteeEmail,
  inviteUrl: `${origin}/invite-confirmation${activationCode === undefined ? '' : `/${activationCode}`}`,
  ...(isLoopbackHost(new URL(origin).hostname) && { inviteUrlNotice: loopbackNotice }),
})

export const presentNotice = ({ id, kind, byName, subject, createdAt }: UserNoticeRow): NoticeDto => ({
  id,
  kind,
  byName,
  subject,
  createdAt: instant(createdAt),
})

export const presentCurrentUser = (user: UserRow, { isOnline }: { isOnline: boolean }): CurrentUserDto => ({
  id: user.id,
  userName: user.userName,
  email: user.email,
  createdAt: instant(user.createdAt),
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
  createdAt: instant(user.createdAt),
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
