import type { InstallerKeyResponseDto } from '../../../shared/dtos/installer-key.ts'
import { en as t } from '../../strings/en.ts'
import { moment } from '../../strings/format.ts'

type Limits = Pick<InstallerKeyResponseDto, 'keyType' | 'allowedUses' | 'expiration'>

/** What a key is good for, in words. */
export function keyLimits({ keyType, allowedUses, expiration }: Limits) {
  const until = expiration && t.deploy.kindUntil(moment(Date.parse(expiration)))
  switch (keyType) {
    case 'UsageBased':
      return [t.deploy.kindUses(allowedUses ?? 1), until].filter(Boolean).join(', ')
    case 'TimeBased':
      return until ?? t.common.unknown
    case 'Persistent':
      return t.deploy.persistent
    default:
      return t.common.unknown
  }
}
