import { isPermissionName } from '../../shared/access.ts'
import type { OwnAccessTokenDto, SignInDto } from '../../shared/api/appliance-account.ts'
import type { Mirrors } from '../mirrors/index.ts'
import type { PersonalAccessTokenRow } from '../models/personal-access-token.ts'
import type { SessionRow } from '../models/session.ts'
import { presentPersonalAccessToken } from './personal-access-token.ts'

const timeOf = (at: number) => new Date(at).toISOString()

export const presentOwnToken = (
  { rules }: Pick<Mirrors, 'rules'>,
  token: PersonalAccessTokenRow & { permissionCount: number },
): OwnAccessTokenDto => ({
  ...presentPersonalAccessToken(token),
  expiresAt: token.expiresAt === null ? null : timeOf(token.expiresAt),
  rights: [...new Set(rules.of(token.id).map(({ permissionName }) => permissionName))].filter(isPermissionName),
})

type SignIn = Pick<SignInDto, 'id' | 'kind' | 'isCurrent'> &
  Pick<SessionRow, 'createdAt' | 'lastSeenAt' | 'remoteAddress' | 'userAgent'>

export const presentSignIn = ({ createdAt, lastSeenAt, ...rest }: SignIn): SignInDto => ({
  ...rest,
  createdAt: timeOf(createdAt),
  lastSeenAt: timeOf(lastSeenAt),
})
