import { Badge, Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnAccessTokenDto } from '../../../shared/api/appliance-account.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { api } from '../../api/http.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { ConfirmDialog, FormButton, NameForm } from '../../components/list-kit/dialogs.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useNow } from '../../hooks/use-now.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { calendarDay, exactTime } from '../../text/format.ts'
import classes from './account-page.module.css'
import { Section } from './section.tsx'
import { NewToken, TokenForm } from './token-form.tsx'

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

interface TokenRowProps {
  token: OwnAccessTokenDto
  onRename: () => void
  onRevoke: () => void
}

function TokenRow({ token, onRename, onRevoke }: TokenRowProps) {
  const { name, rights, permissionMode, lastUsed, expiresAt } = token
  const isWhole = permissionMode === 'InheritOwner'
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <strong className="wrap-anywhere">{name}</strong>
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
      <Button variant="default" size="xs" onClick={onRename} aria-label={t.account.renameToken(name)}>
        {t.account.rename}
      </Button>
      <Button variant="default" size="xs" onClick={onRevoke} aria-label={t.account.revokeOne(name)}>
        {t.account.revoke}
      </Button>
    </li>
  )
}

function Tokens() {
  const query = useQuery(accountQueries.tokens)
  const { data: tokens } = query
  const [made, setMade] = useState<string>()
  const [renamed, setRenamed] = useState<OwnAccessTokenDto>()
  const [revoked, setRevoked] = useState<OwnAccessTokenDto>()
  const rename = async (name: string) => {
    await api.personalAccessTokens.update({ params: { id: renamed!.id }, body: { name: name.trim() } })
    await invalidate(accountQueries.tokens.queryKey)
  }
  const revoke = async () => {
    await api.personalAccessTokens.delete({ params: { id: revoked!.id } })
    await invalidate(accountQueries.tokens.queryKey)
  }
  return (
    <>
      {!tokens && <QueryState query={query} height={88} />}
      {tokens && tokens.length > 0 && (
        <ul className={classes.list} aria-label={t.account.tokens}>
          {tokens.map((token) => (
            <TokenRow
              key={token.id}
              token={token}
              onRename={() => setRenamed(token)}
              onRevoke={() => setRevoked(token)}
            />
          ))}
        </ul>
      )}
      <FormButton label={t.account.newToken} size="lg">
        {(close) => (
          <TokenForm
            onCancel={close}
            onDone={(token) => {
              close()
              setMade(token)
            }}
          />
        )}
      </FormButton>
      <Modal opened={renamed !== undefined} onClose={() => setRenamed(undefined)} title={t.account.renameTitle}>
        {renamed && (
          <NameForm
            submit={t.common.save}
            current={renamed.name}
            save={rename}
            onSaved={() => setRenamed(undefined)}
            onCancel={() => setRenamed(undefined)}
          />
        )}
      </Modal>
      <NewToken token={made} onClose={() => setMade(undefined)} />
      <ConfirmDialog
        isOpen={revoked !== undefined}
        title={t.account.revokeTitle}
        confirm={t.account.revoke}
        onConfirm={revoke}
        onClose={() => setRevoked(undefined)}
      >
        <span className="wrap-anywhere">{revoked && t.account.revokeHint(revoked.name)}</span>
      </ConfirmDialog>
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
