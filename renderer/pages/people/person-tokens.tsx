import { Button, Modal, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import type { PersonDetailDto } from '../../../shared/api/appliance-people.ts'
import type { PersonalAccessTokenResponseDto } from '../../../shared/dtos/personal-access-token.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { api } from '../../api/http.ts'
import { peopleQueries, reloadPeople } from '../../api/people-queries.ts'
import { ConfirmDialog, DialogForm } from '../../components/list-kit/dialogs.tsx'
import { PaneSection } from '../../components/list-kit/side-pane.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { Secret } from '../../components/secret.tsx'
import rows from '../../components/pane-rows.module.css'

type Token = PersonalAccessTokenResponseDto

interface NameFormProps<Result> {
  first: string
  hint?: string
  submit: string
  save: (name: string) => Promise<Result>
  onSaved: (result: Result) => void
  onCancel: () => void
}

function NameForm<Result>({ first, hint, submit, save, onSaved, onCancel }: NameFormProps<Result>) {
  const [name, setName] = useState(first)
  return (
    <DialogForm
      submit={submit}
      canSubmit={name.trim() !== ''}
      save={() => save(name)}
      onSaved={onSaved}
      onCancel={onCancel}
    >
      {hint && <Text>{hint}</Text>}
      <TextInput label={t.people.tokenName} maxLength={256} data-autofocus {...textProps(name, setName)} />
    </DialogForm>
  )
}

interface TokenRowProps {
  token: Token
  onRename: (() => void) | undefined
  onRevoke: (() => void) | undefined
}

const TokenRow = ({ token, onRename, onRevoke }: TokenRowProps) => (
  <li className={rows.row}>
    <span className={rows.text}>
      <bdi>{visibleName(token.name)}</bdi>
      <span className="small muted">
        {token.lastUsed === null ? (
          t.account.neverUsed
        ) : (
          <>
            {t.account.lastUsed} <RelativeTime at={token.lastUsed} />
          </>
        )}
      </span>
    </span>
    {onRename && (
      <Button variant="default" size="xs" onClick={onRename}>
        {t.people.renameToken}
      </Button>
    )}
    {onRevoke && (
      <Button variant="default" size="xs" onClick={onRevoke} aria-label={t.account.revokeOne(token.name)}>
        {t.account.revoke}
      </Button>
    )}
  </li>
)

/** Dialogs that change the access tokens of a person. */
function useTokenDialogs(userId: string, name: string) {
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<string>()
  const [renamed, setRenamed] = useState<Token>()
  const [revoked, setRevoked] = useState<Token>()
  const paramsOf = (token: Token | undefined) => ({ userId, tokenId: token?.id ?? '' })
  const dialogs = (
    <>
      <Modal opened={isMaking} onClose={() => setIsMaking(false)} title={t.people.newTokenTitle(name)}>
        <NameForm
          first=""
          hint={t.people.newTokenHint}
          submit={t.account.createToken}
          save={(tokenName) => api.userPersonalAccessTokens.create({ params: { userId }, body: { name: tokenName } })}
          onSaved={({ plainTextToken }) => {
            setIsMaking(false)
            setMade(plainTextToken)
            void reloadPeople()
          }}
          onCancel={() => setIsMaking(false)}
        />
      </Modal>
      <Modal opened={renamed !== undefined} onClose={() => setRenamed(undefined)} title={t.people.renameTokenTitle}>
        <NameForm
          first={renamed?.name ?? ''}
          submit={t.people.saveName}
          save={(next) => api.userPersonalAccessTokens.update({ params: paramsOf(renamed), body: { name: next } })}
          onSaved={() => {
            setRenamed(undefined)
            void reloadPeople()
          }}
          onCancel={() => setRenamed(undefined)}
        />
      </Modal>
      <ConfirmDialog
        isOpen={revoked !== undefined}
        title={t.account.revokeTitle}
        confirm={t.account.revoke}
        onConfirm={() => api.userPersonalAccessTokens.delete({ params: paramsOf(revoked) })}
        onConfirmed={() => void reloadPeople()}
        onClose={() => setRevoked(undefined)}
      >
        {t.account.revokeHint(visibleName(revoked?.name ?? ''))}
      </ConfirmDialog>
      <Secret
        title={t.account.newTokenTitle}
        hint={t.account.newTokenHint}
        label={t.account.theToken}
        copy={t.account.copyToken}
        value={made}
        onClose={() => setMade(undefined)}
      />
    </>
  )
  return { dialogs, make: () => setIsMaking(true), rename: setRenamed, revoke: setRevoked }
}

/** Access tokens of a person. */
export function PersonTokens({ person }: { person: PersonDetailDto }) {
  const { can } = useSession()
  const mayRead = can('personal-access-token.others.read')
  const mayWrite = can('personal-access-token.others.write') && person.beyond === null
  const query = useQuery({ ...peopleQueries.tokens(person.id), enabled: mayRead })
  const { dialogs, make, rename, revoke } = useTokenDialogs(person.id, visibleName(person.name))
  if (!mayRead) {
    const right = permissionTexts['personal-access-token.others.read'].displayName
    return (
      <PaneSection title={t.people.tokens}>
        <p className="muted">{t.people.tokensForbidden(right)}</p>
      </PaneSection>
    )
  }
  const { data: tokens, error, refetch } = query
  return (
    <PaneSection title={t.people.tokens} hint={t.people.tokensHint}>
      {error && !tokens && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {tokens?.length === 0 && <p className="muted">{t.people.noTokens}</p>}
      {tokens && tokens.length > 0 && (
        <ul className={rows.list} aria-label={t.people.tokens}>
          {tokens.map((token) => (
            <TokenRow
              key={token.id}
              token={token}
              onRename={mayWrite ? () => rename(token) : undefined}
              onRevoke={mayWrite ? () => revoke(token) : undefined}
            />
          ))}
        </ul>
      )}
      {mayWrite && (
        <Button variant="default" size="xs" onClick={make}>
          {t.people.newToken}
        </Button>
      )}
      {dialogs}
    </PaneSection>
  )
}
