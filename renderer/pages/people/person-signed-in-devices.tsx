import { Badge, Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SignInDto } from '../../../shared/api/appliance-account.ts'
import type { PersonDetailDto } from '../../../shared/api/appliance-people.ts'
import { api } from '../../api/http.ts'
import { peopleQueries, reloadPeople } from '../../api/people-queries.ts'
import { PaneSection } from '../../components/list-kit/side-pane.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { browserName } from '../../components/browser-name.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import * as t from '../../texts.ts'
import rows from '../../components/pane-rows.module.css'

function SignInRow({ signIn, onEnd }: { signIn: SignInDto; onEnd: () => void }) {
  const { kind, isCurrent, lastSeenAt, remoteAddress, userAgent } = signIn
  const name = browserName(userAgent)
  return (
    <li className={rows.row}>
      <span className={rows.text}>
        <span title={userAgent ?? undefined}>
          {name} {isCurrent && <Badge size="xs">{t.account.thisOne}</Badge>}
          {kind !== 'Browser' && (
            <Badge size="xs" variant="default">
              {t.account.signInKinds[kind]}
            </Badge>
          )}
        </span>
        <span className="small muted">
          {remoteAddress ?? t.account.unknownAddress} · {t.account.lastSeen} <RelativeTime at={lastSeenAt} />
        </span>
      </span>
      {!isCurrent && (
        <Button variant="default" size="xs" aria-label={t.account.endOne(name)} onClick={onEnd}>
          {t.account.end}
        </Button>
      )}
    </li>
  )
}

/** Browsers and programs that are signed in as the person. */
export function PersonSignedInDevices({ person: { id: userId } }: { person: PersonDetailDto }) {
  const { data: signIns, error, refetch } = useQuery(peopleQueries.signedInDevices(userId))
  const end = useMutation({
    mutationFn: (signInId: string) => api.people.endSignIn({ params: { userId, signInId } }),
    onSettled: reloadPeople,
  })
  const endAll = useMutation({
    mutationFn: () => api.people.endSignIns({ params: { userId } }),
    onSettled: reloadPeople,
  })
  const problem = (signIns ? undefined : error) ?? end.error ?? endAll.error
  return (
    <PaneSection title={t.people.signedIn}>
      {problem && <ProblemAlert error={problem} onRetry={() => void refetch()} />}
      {signIns?.length === 0 && <p className="muted">{t.people.notSignedIn}</p>}
      {signIns && signIns.length > 0 && (
        <ul className={rows.list} aria-label={t.people.signedIn}>
          {signIns.map((signIn) => (
            <SignInRow key={signIn.id} signIn={signIn} onEnd={() => end.mutate(signIn.id)} />
          ))}
        </ul>
      )}
      {signIns && signIns.filter(({ isCurrent }) => !isCurrent).length > 1 && (
        <Button variant="default" size="xs" loading={endAll.isPending} onClick={() => endAll.mutate()}>
          {t.people.endAll}
        </Button>
      )}
      <p className={rows.line} role="status">
        {endAll.data && t.account.ended(endAll.data.ended)}
      </p>
    </PaneSection>
  )
}
