import type { InstallerKeyResponseDto } from '../../../shared/dtos/installer-key.ts'
import * as t from '../../texts.ts'
import { moment } from '../../text/format.ts'

type Limits = Pick<InstallerKeyResponseDto, 'keyType' | 'allowedUses' | 'expiration'>

const untilText = ({ expiration }: Limits) => expiration && t.deploy.kindUntil(moment(Date.parse(expiration)))
const usesText = ({ allowedUses }: Limits) => t.deploy.kindUses(allowedUses ?? 1)

/** Describes the limits of a key, as the end of a sentence. */
export const keyWorks = (key: Limits): string =>
  [
    key.keyType === 'UsageBased' && t.deploy.worksFor(usesText(key)),
    key.keyType === 'Persistent' ? t.deploy.worksAlways : untilText(key),
  ]
    .filter(Boolean)
    .join(', ')

/** Limit of a key, for a table. */
export function keyLimits(key: Limits) {
  const until = untilText(key)
  switch (key.keyType) {
    case 'UsageBased':
      return [usesText(key), until].filter(Boolean).join(', ')
    case 'TimeBased':
      return until ?? t.common.unknown
    case 'Persistent':
      return t.deploy.persistent
    default:
      return t.common.unknown
  }
}

/** Reason why a key does not work any more. */
export const keyEnding = ({ allowedUses, usageCount, expiration }: InstallerKeyResponseDto) =>
  allowedUses !== null && usageCount >= allowedUses
    ? t.deploy.usedUp(allowedUses)
    : expiration
      ? t.deploy.expiredAt(moment(Date.parse(expiration)))
      : t.common.unknown
