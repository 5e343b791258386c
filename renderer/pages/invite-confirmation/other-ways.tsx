import { Button, Divider, Stack } from '@mantine/core'
import { IconFingerprint, IconKey } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ProviderPlace } from '../../../shared/dtos/identity-provider.ts'
import { desktop } from '../../api/desktop.ts'
import { api } from '../../api/http.ts'
import { createPasskey, isDismissed, supportsPasskeys } from '../../api/passkeys.ts'
import { visitToAccept } from '../../api/provider-visit.ts'
import { signInQueries } from '../../api/sign-in-queries.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'

interface OtherWaysProps {
  activationCode: string
  /** Takes the answer of an acceptance, also one that failed. */
  onAnswer: (answer: { isSuccessful: boolean; errorMessage: string | null }) => Promise<void>
}

async function acceptWithPasskey(activationCode: string) {
  const { options, ticket } = await api.invitationWays.passkeyOptions({ body: { activationCode } })
  const credential = await createPasskey(options)
  return api.invitationWays.acceptWithPasskey({
    body: { activationCode, ticket, name: t.invitation.passkeyName, credential },
  })
}

/** Buttons that accept an invitation without a password, where passkeys or providers work. */
export function OtherWays({ activationCode, onAnswer }: OtherWaysProps) {
  const { data: ways } = useQuery(signInQueries.ways)
  const passkey = useMutation({ mutationFn: () => acceptWithPasskey(activationCode), onSuccess: onAnswer })
  const visit = useMutation({ mutationFn: (place: ProviderPlace) => visitToAccept(place, activationCode) })
  const isHome = ways?.passkeys.origin === location.origin
  const offersPasskey = isHome && ways.passkeys.obstacle === null && supportsPasskeys()
  const providers = isHome && !desktop ? ways.providers : []
  if (!offersPasskey && providers.length === 0) {
    return null
  }
  const error = visit.error ?? (isDismissed(passkey.error) ? null : passkey.error)
  return (
    <Stack gap="sm" mt="md">
      <Divider label={t.invitation.orWithout} />
      {offersPasskey && (
        <Button
          variant="default"
          leftSection={<IconFingerprint size={18} />}
          loading={passkey.isPending}
          onClick={() => passkey.mutate()}
        >
          {t.invitation.withPasskey}
        </Button>
      )}
      {providers.map(({ place, label }) => (
        <Button
          key={place}
          variant="default"
          leftSection={<IconKey size={18} />}
          loading={visit.isPending && visit.variables === place}
          onClick={() => visit.mutate(place)}
        >
          {t.invitation.withProvider(label)}
        </Button>
      ))}
      {error && <ProblemAlert error={error} />}
    </Stack>
  )
}
