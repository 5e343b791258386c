import { Divider, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUserDto } from '../../../shared/dtos/user.ts'
import { supportsPasskeys } from '../../api/passkeys.ts'
import { queries } from '../../api/queries.ts'
import { en as t } from '../../strings/en.ts'
import { PasskeyEntry } from './passkey-entry.tsx'
import { ProviderButtons } from './provider-buttons.tsx'

/** The ways to sign in besides the password; nothing where there are none. */
export function OtherWays({ onSignedIn }: { onSignedIn: (user: CurrentUserDto) => Promise<void> }) {
  const { data: ways } = useQuery(queries.signInWays)
  const { origin, obstacle } = ways?.passkeys ?? { origin: '', obstacle: 'not-https' }
  const hasPasskeys = supportsPasskeys() && obstacle === null && origin === location.origin
  if (!hasPasskeys && !ways?.providers.length) {
    return null
  }
  return (
    <Stack>
      <Divider label={t.providers.or} />
      <PasskeyEntry onSignedIn={onSignedIn} />
      <ProviderButtons />
    </Stack>
  )
}
