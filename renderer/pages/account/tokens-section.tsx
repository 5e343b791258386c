import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnAccessTokenDto } from '../../../shared/api/appliance-account.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { api } from '../../api/http.ts'
import { queries } from '../../api/queries.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useNow } from '../../hooks/use-now.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { calendarDay, exactTime } from '../../strings/format.ts'
import classes from './account-page.module.css'
import { LoadingList, Section } from './section.tsx'
import { NewToken, TokenForm } from './token-form.tsx'

function Revoke({ token, onDone }: { token: OwnAccessTokenDto; onDone: () => void }) {
  const client = useQueryClient()
  const { tenantId } = useSession().user
  const revoke = useMutation({
    mutationFn: () => api.tokens.delete({ tenantId, params: { id: token.id } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: queries.ownTokens.queryKey })
      onDone()
    },
  })
  return (
    <Stack>
      <Text className={classes.wrap}>{t.account.revokeHint(token.name)}</Text>
      {revoke.error && <ProblemAlert error={revoke.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone} data-autofocus>
          {t.common.cancel}
        </Button>
        <Button color="danger" loading={revoke.isPending} onClick={() => revoke.mutate()}>
          {t.account.revoke}
        </Button>
      </Group>
    </Stack>
  )
}

function End({ expiresAt }: Pick<OwnAccessTokenDto, 'expiresAt'>) {
  const now = useNow()
  if (expiresAt === null) {
    return t.account.noEnd
  }
  const at = Date.parse(expiresAt)
  return at <= now ? (
    <Badge size="xs" variant="default">
      {t.account.expired}
    </Badge>
  ) : (
    <span title={exactTime(at)}>{t.account.endsOn(calendarDay(at))}</span>
  )
}

function TokenRow({ token, onRevoke }: { token: OwnAccessTokenDto; onRevoke: () => void }) {
  const { name, rights, permissionMode, lastUsed, expiresAt } = token
  const isWhole = permissionMode === 'InheritOwner'
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <strong className={classes.wrap}>{name}</strong>
        <span className="muted small">
          <span title={isWhole ? undefined : rights.map((right) => permissionTexts[right].displayName).join('\n')}>
            {isWhole ? t.account.allRights : t.account.someRights(rights.length)}
          </span>
          {' · '}
          <End expiresAt={expiresAt} />
          {' · '}
          {lastUsed === null ? (
            t.account.neverUsed
          ) : (
            <>
              {t.account.lastUsed} <RelativeTime at={lastUsed} />
            </>
          )}
        </span>
      </div>
      <Button variant="default" size="xs" onClick={onRevoke} aria-label={t.account.revokeOne(name)}>
        {t.account.revoke}
      </Button>
    </li>
  )
}

function Tokens() {
  const { data: tokens, error, refetch } = useQuery(queries.ownTokens)
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<string>()
  const [revoked, setRevoked] = useState<OwnAccessTokenDto>()
  const close = () => setRevoked(undefined)
  return (
    <>
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!tokens && !error && <LoadingList />}
      {tokens && tokens.length > 0 && (
        <ul className={classes.list} aria-label={t.account.tokens}>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => setRevoked(token)} />
          ))}
        </ul>
      )}
      <Button variant="default" onClick={() => setIsMaking(true)}>
        {t.account.newToken}
      </Button>
      <Modal opened={isMaking} onClose={() => setIsMaking(false)} title={t.account.newToken} size="lg">
        <TokenForm
          onCancel={() => setIsMaking(false)}
          onDone={(token) => {
            setIsMaking(false)
            setMade(token)
          }}
        />
      </Modal>
      <NewToken token={made} onClose={() => setMade(undefined)} />
      <Modal opened={revoked !== undefined} onClose={close} title={t.account.revokeTitle}>
        {revoked && <Revoke token={revoked} onDone={close} />}
      </Modal>
    </>
  )
}

/** Tokens by which programs act for the person. */
export function TokensSection() {
  const { can } = useSession()
  const isAllowed = can('personal-access-token.self.read') && can('personal-access-token.self.write')
  return (
    <Section title={t.account.tokens} hint={isAllowed ? t.account.tokensHint : t.account.tokensForbidden}>
      {isAllowed && <Tokens />}
    </Section>
  )
}
