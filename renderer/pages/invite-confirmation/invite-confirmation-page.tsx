import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { TextLink } from '../../components/links.tsx'
import { api, statusOf } from '../../api/http.ts'
import { FirstLoad, ServerSilent } from '../../components/page-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import * as t from '../../texts.ts'
import { AcceptForm } from './accept-form.tsx'

function Closed({ title, text }: { title: string; text: string }) {
  return (
    <VisitorCard title={title}>
      <Text mb="md">{text}</Text>
      <TextLink to="/sign-in">{t.invitation.toSignIn}</TextLink>
    </VisitorCard>
  )
}

/** Page behind the link of an invitation. */
export function Component() {
  usePageTitle(t.invitation.unnamed)
  const { code = '' } = useParams()
  const { data, error } = useQuery({
    queryKey: ['invitation', code],
    queryFn: ({ signal }) => api.entry.invitation({ body: { activationCode: code } }, signal),
    staleTime: Infinity,
    retry: (_, problem) => statusOf(problem) === undefined,
    retryDelay: 2_000,
  })
  if (error) {
    return statusOf(error) === undefined ? (
      <ServerSilent />
    ) : (
      <VisitorCard title={t.invitation.unnamed}>
        <ProblemAlert error={error} />
      </VisitorCard>
    )
  }
  if (!data) {
    return <FirstLoad />
  }
  const { state, email, organizationName, expiresAt } = data
  if (state === 'accepted') {
    return <Closed title={t.invitation.acceptedTitle} text={t.invitation.accepted} />
  }
  if (state === 'taken') {
    return <Closed title={t.invitation.takenTitle} text={t.invitation.taken(email ?? '', organizationName ?? '')} />
  }
  if (state === 'ended') {
    return <Closed title={t.invitation.unknownTitle} text={t.invitation.ended(organizationName ?? '')} />
  }
  if (state === 'expired') {
    return <Closed title={t.invitation.expiredTitle} text={t.invitation.expired(organizationName ?? '')} />
  }
  return email !== null && organizationName !== null && expiresAt !== null ? (
    <VisitorCard title={t.invitation.title(organizationName)} intro={t.invitation.intro}>
      <AcceptForm activationCode={code} email={email} expiresAt={expiresAt} />
    </VisitorCard>
  ) : (
    <Closed title={t.invitation.unknownTitle} text={t.invitation.unknown} />
  )
}
