import { Badge, Button } from '@mantine/core'
import { IconBrowser, IconCode, IconLink } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SignInDto } from '../../../shared/api/appliance-account.ts'
import { api } from '../../api/http.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import * as t from '../../texts.ts'
import { exactTime, moment } from '../../text/format.ts'
import classes from './account-page.module.css'
import { browserName } from '../../components/browser-name.ts'
import { QueryState } from '../../components/query-state.tsx'
import { Section } from './section.tsx'

const icons = { Browser: IconBrowser, DeviceLink: IconLink, BearerTokens: IconCode }

function SignInRow({ signIn, onEnd }: { signIn: SignInDto; onEnd: (id: string) => void }) {
  const { id, kind, isCurrent, createdAt, lastSeenAt, remoteAddress, userAgent } = signIn
  const Sign = icons[kind]
  const name = browserName(userAgent)
  const since = Date.parse(createdAt)
  return (
    <li className={classes.row}>
      <Sign size={18} stroke={1.6} aria-hidden />
      <div className={classes.rowText}>
        <span>
          <strong className="wrap-anywhere" title={userAgent ?? undefined}>
            {name}
          </strong>{' '}
          {isCurrent && <Badge size="xs">{t.account.thisOne}</Badge>}
          {kind !== 'Browser' && (
            <Badge size="xs" variant="default">
              {t.account.signInKinds[kind]}
            </Badge>
          )}
        </span>
        <span className="muted small">
          {remoteAddress ?? t.account.unknownAddress}
          {' · '}
          <span title={exactTime(since)}>{t.account.since(moment(since))}</span>
          {' · '}
          {t.account.lastSeen} <RelativeTime at={lastSeenAt} />
        </span>
      </div>
      {!isCurrent && (
        <Button variant="default" size="xs" aria-label={t.account.endOne(name)} onClick={() => onEnd(id)}>
          {t.account.end}
        </Button>
      )}
    </li>
  )
}

/** The user's sign-ins. A sign-in ends without a question, because signing in again undoes it. */
export function SignedInDevicesSection() {
  const query = useQuery(accountQueries.signedInDevices)
  const { data: signIns } = query
  const reload = () => invalidate(accountQueries.signedInDevices.queryKey)
  const end = useMutation({
    mutationFn: (signInId: string) => api.account.endSignIn({ params: { signInId } }),
    onSettled: reload,
  })
  const endOthers = useMutation({ mutationFn: () => api.account.endOtherSignIns({}), onSettled: reload })
  const problem = end.error ?? endOthers.error
  return (
    <Section title={t.account.signedIn} hint={t.account.signedInHint}>
      {problem && <ProblemAlert error={problem} />}
      {!signIns && <QueryState query={query} height={88} />}
      {signIns && (
        <ul className={classes.list} aria-label={t.account.signedIn}>
          {signIns.map((signIn) => (
            <SignInRow key={signIn.id} signIn={signIn} onEnd={end.mutate} />
          ))}
        </ul>
      )}
      {signIns && signIns.length > 1 && (
        <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
          {t.account.endOthers}
        </Button>
      )}
      <p className={classes.line} role="status">
        {endOthers.data && t.account.ended(endOthers.data.ended)}
      </p>
    </Section>
  )
}
