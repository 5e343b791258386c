import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PersonDetailDto } from '../../../shared/api/appliance-people.ts'
import type { PersonalAccessTokenResponseDto } from '../../../shared/dtos/personal-access-token.ts'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { api } from '../../api/http.ts'
import { peopleQueries, reloadPeople } from '../../api/people-queries.ts'
import { AskButton, FormButton, NameForm } from '../../components/list-kit/dialogs.tsx'
import { PaneSection } from '../../components/list-kit/side-pane.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { Secret } from '../../components/secret.tsx'
import rows from '../../components/pane-rows.module.css'

/** Length that the older route for tokens of others accepts. */
const nameField = { label: t.people.tokenName, maxLength: 256 }

interface TokenRowProps {
  userId: string
  token: PersonalAccessTokenResponseDto
  mayWrite: boolean
}

function TokenRow({ userId, token, mayWrite }: TokenRowProps) {
  const params = { userId, tokenId: token.id }
  return (
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
      {mayWrite && (
        <>
          <FormButton label={t.people.renameToken} title={t.people.renameTokenTitle} button={{ size: 'xs' }}>
            {(close) => (
              <NameForm
                {...nameField}
                submit={t.people.saveName}
                current={token.name}
                save={(name) => api.userPersonalAccessTokens.update({ params, body: { name } })}
                onSaved={() => {
                  close()
                  void reloadPeople()
                }}
                onCancel={close}
              />
            )}
          </FormButton>
          <AskButton
            label={t.account.revoke}
            title={t.account.revokeTitle}
            button={{ size: 'xs', 'aria-label': t.account.revokeOne(token.name) }}
            onConfirm={() => api.userPersonalAccessTokens.delete({ params })}
            onConfirmed={() => void reloadPeople()}
          >
            {t.account.revokeHint(visibleName(token.name))}
          </AskButton>
        </>
      )}
    </li>
  )
}

interface NewTokenProps {
  userId: string
  /** Name of the person. */
  name: string
}

/** Button that makes a token, which is shown once. */
function NewToken({ userId, name }: NewTokenProps) {
  const [made, setMade] = useState<string>()
  return (
    <>
      <FormButton label={t.people.newToken} title={t.people.newTokenTitle(name)} button={{ size: 'xs' }}>
        {(close) => (
          <NameForm
            {...nameField}
            submit={t.account.createToken}
            save={(tokenName) => api.userPersonalAccessTokens.create({ params: { userId }, body: { name: tokenName } })}
            onSaved={({ plainTextToken }) => {
              close()
              setMade(plainTextToken)
              void reloadPeople()
            }}
            onCancel={close}
          >
            <Text>{t.people.newTokenHint}</Text>
          </NameForm>
        )}
      </FormButton>
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
}

/** Access tokens of a person. */
export function PersonTokens({ person }: { person: PersonDetailDto }) {
  const { can } = useSession()
  const mayRead = can('personal-access-token.others.read')
  const mayWrite = can('personal-access-token.others.write') && person.beyond === null
  const query = useQuery({ ...peopleQueries.tokens(person.id), enabled: mayRead })
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
            <TokenRow key={token.id} userId={person.id} token={token} mayWrite={mayWrite} />
          ))}
        </ul>
      )}
      {mayWrite && <NewToken userId={person.id} name={visibleName(person.name)} />}
    </PaneSection>
  )
}
