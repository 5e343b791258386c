import type { CurrentUserDto } from '../../shared/dtos/user.ts'
import type { UserRow } from '../models/user.ts'

export const presentCurrentUser = (user: UserRow, isOnline: boolean): CurrentUserDto => ({
  id: user.id,
  userName: user.userName,
  email: user.email,
  createdAt: new Date(user.createdAt).toISOString(),
  isOnline,
  requirePasswordChange: false,
  twoFactorEnabled: false,
  emailConfirmed: false,
  tenantId: user.tenantId,
})
