import { Anchor, Button, Text } from '@mantine/core'
import { IconBrandGithub, IconKey } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import type { ProviderPlace } from '../../../shared/dtos/identity-provider.ts'
import { desktop } from '../../api/desktop.ts'
import { localPath } from '../../api/local-path.ts'
import { visitToSignIn } from '../../api/provider-visit.ts'
import { queries } from '../../api/queries.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { en as t } from '../../strings/en.ts'

/** Buttons of the identity providers, which send browsers back to one address of this server only. */
export function ProviderButtons() {
  const { data: ways } = useQuery(queries.signInWays)
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
          styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
        >
          {t.providers.signInWith(label)}
        </Button>
      ))}
      {visit.error && <ProblemAlert error={visit.error} title={t.providers.callbackFailed} />}
      {visit.error && <Text c="dimmed">{t.providers.noPassword}</Text>}
    </>
  )
}
