import { Alert, Anchor, Button, Divider, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { IconBrandGithub, IconFingerprint, IconKey, IconLock } from '@tabler/icons-react'
import { useSearchParams } from 'react-router'
import type { CurrentUserDto } from '../../../shared/dtos/user.ts'
import { supportsPasskeys, isDismissed } from '../../api/passkeys.ts'
import { signInQueries } from '../../api/sign-in-queries.ts'
import * as t from '../../texts.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { usePasskeySignIn } from './use-passkey-sign-in.ts'
import type { ProviderPlace } from '../../../shared/dtos/identity-provider.ts'
import { desktop } from '../../api/desktop.ts'
import { localPath } from '../../api/local-path.ts'
import { visitToSignIn } from '../../api/provider-visit.ts'

/** Button to sign in with a passkey; hidden where passkeys do not work. */
function PasskeyEntry({ onSignedIn }: { onSignedIn: (user: CurrentUserDto) => Promise<void> }) {
  const { isOffered, begin, isPending, error, refusal } = usePasskeySignIn(onSignedIn)
  if (!isOffered) {
    return null
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFingerprint size={18} />}
        loading={isPending}
        onClick={begin}
        fullWidth
      >
        {t.passkeys.signIn}
      </Button>
      {error && !isDismissed(error) && <ProblemAlert error={error} title={t.passkeys.failed} />}
      {error && isDismissed(error) && (
        <Alert color="gray" role="alert">
          {t.passkeys.dismissed}
        </Alert>
      )}
      {refusal && (
        <Alert color="danger" icon={<IconLock size={18} />} role="alert">
          {refusal.isDisabled
            ? t.signIn.disabled
            : refusal.requiresPasswordChange
              ? t.passkeys.passwordChange
              : t.passkeys.unconfirmed}
        </Alert>
      )}
    </>
  )
}

/** Buttons of the identity providers, which send browsers back to one address of this server only. */
function ProviderButtons() {
  const { data: ways } = useQuery(signInQueries.ways)
  const [search] = useSearchParams()
  const visit = useMutation({
    mutationFn: (place: ProviderPlace) => visitToSignIn(place, localPath(search.get('returnUrl'))),
  })
  if (!ways || ways.providers.length === 0) {
    return null
  }
  const { origin } = ways.passkeys
  if (desktop) {
    // Its window shows no other sites.
    return <Text c="dimmed">{t.providers.inBrowser(origin)}</Text>
  }
  if (origin !== location.origin) {
    return <Anchor href={`${origin}/sign-in`}>{t.providers.elsewhere(origin)}</Anchor>
  }
  return (
    <>
      {ways.providers.map(({ place, label, kind }) => (
        <Button
          key={place}
          variant="default"
          leftSection={kind === 'GitHub' ? <IconBrandGithub size={18} /> : <IconKey size={18} />}
          loading={visit.isPending && visit.variables === place}
          onClick={() => visit.mutate(place)}
          fullWidth
          h="auto"
          mih={36}
          py={6}
          styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere', lineHeight: 1.4 } }}
        >
          {t.providers.signInWith(label)}
        </Button>
      ))}
      {visit.error && <ProblemAlert error={visit.error} title={t.providers.callbackFailed} />}
      {visit.error && <Text c="dimmed">{t.providers.noPassword}</Text>}
    </>
  )
}

/** The ways to sign in besides the password; nothing where there are none. */
export function OtherWays({ onSignedIn }: { onSignedIn: (user: CurrentUserDto) => Promise<void> }) {
  const { data: ways } = useQuery(signInQueries.ways)
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
