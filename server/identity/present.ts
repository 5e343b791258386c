import { isPermissionName } from '../../shared/access.ts'
import type { OwnAccessTokenDto, SignInDto } from '../../shared/api/appliance-account.ts'
import type { PasskeyDto } from '../../shared/dtos/passkey.ts'
import { presentPersonalAccessToken } from '../credentials/present.ts'
import type { PersonalAccessTokenRow, SessionRow } from '../credentials/tables.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import type { Mirrors } from '../call/mirrors/index.ts'
import type { PasskeyRow } from './tables.ts'

export const presentPasskey = ({ id, name, rpId, createdAt, lastUsedAt }: PasskeyRow): PasskeyDto => ({
  id,
  name,
  host: rpId,
  createdAt: instant(createdAt),
  lastUsedAt: instantOrNull(lastUsedAt),
})

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
