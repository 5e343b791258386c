import { isPermissionName } from '../../shared/access.ts'
import type { OwnAccessTokenDto, SignInDto } from '../../shared/api/appliance-account.ts'
import { instant, instantOrNull } from '../instant.ts'
import type { Mirrors } from '../mirrors/index.ts'
import type { PersonalAccessTokenRow } from '../models/personal-access-token.ts'
import type { SessionRow } from '../models/session.ts'
import { presentPersonalAccessToken } from './personal-access-token.ts'

export const presentOwnToken = (
  { rules }: Pick<Mirrors, 'rules'>,
  token: PersonalAccessTokenRow & { permissionCount: number },
): OwnAccessTokenDto => ({
  ...presentPersonalAccessToken(token),
  expiresAt: instantOrNull(token.expiresAt),
  rights: [...new Set(rules.of(token.id).map(({ permissionName }) => permissionName))].filter(isPermissionName),
})

type SignIn = Pick<SignInDto, 'id' | 'kind' | 'isCurrent'> &
  Pick<SessionRow, 'createdAt' | 'lastSeenAt' | 'remoteAddress' | 'userAgent'>

export const presentSignIn = ({ createdAt, lastSeenAt, ...rest }: SignIn): SignInDto => ({
  ...rest,
  createdAt: instant(createdAt),
  lastSeenAt: instant(lastSeenAt),
})
