import type { PersonDto } from '../../../shared/api/appliance-people.ts'
import * as t from '../../texts.ts'

export function stateOf({
  disabledAt,
  lockedUntil,
  accountType,
}: PersonDto): 'disabled' | 'locked' | 'invited' | 'guest' | undefined {
  if (disabledAt !== null) {
    return 'disabled'
  }
  if (lockedUntil !== null) {
    return 'locked'
  }
  return accountType === 'Invited' ? 'invited' : accountType === 'External' ? 'guest' : undefined
}

/** Ways in besides the password, such as "2 passkeys". */
export const otherWaysOf = ({ passkeys, providers }: PersonDto): string[] => [
  ...(passkeys > 0 ? [t.people.passkeys(passkeys)] : []),
  ...(providers.length > 0 ? [t.people.linkedAccounts(providers.length)] : []),
]

/** Ways in of a person, such as "Password and code, 1 passkey, Microsoft". */
export function waysOf({ accountType, hasPassword, isTwoFactorEnabled, passkeys, providers }: PersonDto): string {
  if (accountType === 'External') {
    return t.people.byLink
  }
  return (
    [
      ...(hasPassword ? [isTwoFactorEnabled ? t.people.passwordAndCode : t.people.password] : []),
      ...(passkeys > 0 ? [t.people.passkeys(passkeys)] : []),
      ...providers,
    ].join(', ') || t.people.noWay
  )
}
