import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ExternalLoginDto, ProviderDto, ProviderPlace } from '../../../shared/dtos/identity-provider.ts'
import { desktop } from '../../api/desktop.ts'
import { api } from '../../api/http.ts'
import { visitToLink } from '../../api/provider-visit.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { AskButton } from '../../components/list-kit/dialogs.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import * as t from '../../texts.ts'
import classes from './account-page.module.css'
import { Section } from './section.tsx'

interface RowProps {
  place: ProviderPlace
  provider: ProviderDto | undefined
  login: ExternalLoginDto | undefined
  /** Address that the providers send browsers back to. */
  origin: string
}

function LinkButton({ place, label, origin }: { place: ProviderPlace; label: string; origin: string }) {
  const link = useMutation({ mutationFn: () => visitToLink(place) })
  if (desktop || origin !== location.origin) {
    return <Text c="dimmed">{t.providers.elsewhere(origin)}</Text>
  }
  return (
    <div>
      <Button variant="default" loading={link.isPending} onClick={() => link.mutate()}>
        {t.providers.link(label)}
      </Button>
      {link.error && <ProblemAlert error={link.error} title={t.providers.linkFailed} />}
    </div>
  )
}

function UnlinkButton({ login: { id: loginId, name }, label }: { login: ExternalLoginDto; label: string }) {
  const unlink = async () => {
    await api.ownLogins.unlink({ params: { loginId } })
    await invalidate(accountQueries.externalLogins.queryKey)
  }
  return (
    <AskButton label={t.providers.unlink(label)} title={t.providers.unlinkTitle(label)} onConfirm={unlink}>
      {t.providers.unlinkHint(name)}
    </AskButton>
  )
}

function LoginRow({ place, provider, login, origin }: RowProps) {
  const label = provider?.label ?? t.providers.gone
  return (
    <Group align="center" gap="6px 12px">
      <div className={classes.rowText}>
        <Text className="wrap-anywhere">{label}</Text>
        <Text size="xs" c="dimmed" truncate>
          {login ? login.name : t.providers.notLinked}
          {login?.lastUsedAt && (
            <>
              {' · '}
              {t.passkeys.lastUsed} <RelativeTime at={login.lastUsedAt} />
            </>
          )}
        </Text>
      </div>
      {login ? (
        <UnlinkButton login={login} label={label} />
      ) : (
        <LinkButton place={place} label={label} origin={origin} />
      )}
    </Group>
  )
}

/** Accounts at identity providers; nothing where there are none. */
export function ExternalLoginsSection() {
  const { data, error, refetch } = useQuery(accountQueries.externalLogins)
  if (!error && !data?.providers.length && !data?.items.length) {
    return null
  }
  const places = (['a', 'b'] as const).map((place) => ({
    place,
    provider: data?.providers.find((provider) => provider.place === place),
    login: data?.items.find((login) => login.place === place),
  }))
  return (
    <Section id="linked" title={t.providers.title} hint={t.providers.hint}>
      <Stack>
        {places
          .filter(({ provider, login }) => provider ?? login)
          .map((row) => (
            <LoginRow key={row.place} {...row} origin={data?.origin ?? ''} />
          ))}
        {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      </Stack>
    </Section>
  )
}
