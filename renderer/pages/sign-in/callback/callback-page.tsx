import { Alert, Stack, Text } from '@mantine/core'
import { IconLink } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation, useNavigate, useParams } from 'react-router'
import { ButtonLink } from '../../../components/links.tsx'
import { textProps } from '../../../components/field-props.ts'
import { ProviderPlace } from '../../../../shared/dtos/identity-provider.ts'
import { api } from '../../../api/http.ts'
import { endVisit } from '../../../api/provider-visit.ts'
import { sessionQueries } from '../../../api/session-queries.ts'
import { queryClient } from '../../../api/query-client.ts'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { VisitorCard } from '../../../components/visitor-card.tsx'
import { usePageTitle } from '../../../hooks/use-page-title.ts'
import * as t from '../../../texts.ts'
import { RegistrationStep } from './registration-step.tsx'
import { CodeField } from '../../../components/code-field.tsx'
import { secondFactorCode } from '../../../components/second-factor-code.ts'
import { RequestForm } from '../../../components/request-form.tsx'

interface CodeStepProps {
  /** Proof of the account at the provider. */
  identity: string
  onDone: () => Promise<void>
}

/** Asks for the code of an account with two-factor authentication. */
function CodeStep({ identity, onDone }: CodeStepProps) {
  const [code, setCode] = useState('')
  const finish = useMutation({
    mutationFn: () => api.providers.secondFactor({ body: { identity, ...secondFactorCode(code) } }),
    onSuccess: async ({ user }) => {
      if (user) {
        await onDone()
      }
    },
  })
  const isWrong = finish.data && !finish.data.user
  return (
    <RequestForm submit={t.signIn.submit} request={finish} onSubmit={() => finish.mutate()}>
      <CodeField
        autoFocus
        {...textProps(code, setCode)}
        error={isWrong && !finish.data.isLockedOut && !finish.data.isDisabled && t.signIn.wrongCode}
      />
      {finish.data?.isLockedOut && (
        <Alert color="danger" role="alert" title={t.signIn.lockedTitle}>
          {t.signIn.locked}
        </Alert>
      )}
      {finish.data?.isDisabled && (
        <Alert color="danger" role="alert" title={t.signIn.disabledTitle}>
          {t.signIn.disabled}
        </Alert>
      )}
    </RequestForm>
  )
}

type SignInAnswer = Awaited<ReturnType<typeof api.providers.answer>>

type Outcome =
  | { step: 'waiting' | 'lost' }
  | { step: 'rejected'; reason: string }
  | { step: 'failed'; error: unknown; isLink: boolean }
  | { step: 'refused' | 'code' | 'notLinked'; answer: SignInAnswer }

/** Link back to where the person came from. */
const Back = ({ isLink = false }: { isLink?: boolean }) => (
  <ButtonLink to={isLink ? '/account#linked' : '/sign-in'} fullWidth>
    {isLink ? t.providers.backToAccount : t.providers.back}
  </ButtonLink>
)

function stepOf(answer: SignInAnswer): Outcome {
  const step = answer.requiresTwoFactor ? 'code' : answer.isLinked ? 'refused' : 'notLinked'
  return { step, answer }
}

/** Accepts the invitation of the visit with a new account. Returns the reason of a rejection; undefined without one to accept. */
async function acceptInvitation(activationCode: string | undefined, { isLinked, identity }: SignInAnswer) {
  if (activationCode === undefined || isLinked || identity === null) {
    return undefined
  }
  return (await api.invitationWays.acceptWithProvider({ body: { activationCode, identity } })).errorMessage
}

/** Sends the provider's answer to the server, once per visit. */
function useAnswer(onSignedIn: (returnUrl: string) => Promise<void>) {
  const [outcome, setOutcome] = useState<Outcome>({ step: 'waiting' })
  const place = ProviderPlace.catch('a').parse(useParams()['place'])
  const { search } = useLocation()
  const [returnUrl, setReturnUrl] = useState('/')
  const takeAnswer = useEffectEvent(() => {
    const visit = endVisit()
    // In development, effects run twice: the first run has ended the visit.
    if (!visit) {
      setOutcome((before) => (before.step === 'waiting' ? { step: 'lost' } : before))
      return
    }
    setReturnUrl(visit.returnUrl)
    const isLink = visit.purpose === 'link'
    const request = { params: { place }, body: { ticket: visit.ticket, query: search.slice(1) } }
    const finish = async () => {
      if (isLink) {
        // Not by the client that asks for a recent confirmation: this page has no dialog for that.
        await api.providers.link(request)
        await onSignedIn(visit.returnUrl)
        return
      }
      const answer = await api.providers.answer(request)
      const rejection = answer.user ? null : await acceptInvitation(visit.invitation, answer)
      if (rejection === undefined) {
        setOutcome(stepOf(answer))
      } else if (rejection === null) {
        await onSignedIn(visit.returnUrl)
      } else {
        setOutcome({ step: 'rejected', reason: rejection })
      }
    }
    finish().catch((error: unknown) => setOutcome({ step: 'failed', error, isLink }))
  })
  useEffect(() => takeAnswer(), [])
  return { outcome, returnUrl }
}

function Step({ outcome, onDone }: { outcome: Outcome; onDone: () => Promise<void> }) {
  switch (outcome.step) {
    case 'waiting':
      return <Text c="dimmed">{t.providers.waiting}</Text>
    case 'lost':
      return (
        <>
          <Alert role="alert">{t.providers.lost}</Alert>
          <Back />
        </>
      )
    case 'failed':
      return (
        <>
          <ProblemAlert
            error={outcome.error}
            title={outcome.isLink ? t.providers.linkFailed : t.providers.callbackFailed}
          />
          <Back isLink={outcome.isLink} />
        </>
      )
    case 'rejected':
      return (
        <>
          <Alert color="danger" role="alert" title={t.invitation.refusedTitle}>
            {outcome.reason}
          </Alert>
          <Back />
        </>
      )
    case 'refused':
      return (
        <>
          <Alert color="danger" role="alert">
            {outcome.answer.isDisabled
              ? t.signIn.disabled
              : outcome.answer.requiresPasswordChange
                ? t.providers.refused.password
                : t.providers.refused.email}
          </Alert>
          <Back />
        </>
      )
    case 'code':
      return <CodeStep identity={outcome.answer.identity ?? ''} onDone={onDone} />
    case 'notLinked':
      return outcome.answer.isRegistrationOpen ? (
        <RegistrationStep answer={outcome.answer} onDone={onDone} />
      ) : (
        <>
          <Alert icon={<IconLink size={18} />} role="alert">
            {t.providers.notLinkedClosed(outcome.answer.name)}
          </Alert>
          <Back />
        </>
      )
  }
}

const titleOf = (outcome: Outcome) =>
  outcome.step === 'code'
    ? t.signIn.codeTitle
    : outcome.step === 'notLinked'
      ? outcome.answer.isRegistrationOpen
        ? t.providers.registerTitle
        : t.providers.notLinkedTitle
      : t.signIn.title

/** The page that identity providers send browsers back to. */
export function Component() {
  usePageTitle(t.signIn.title)
  const navigate = useNavigate()
  const handleDone = async (returnUrl: string) => {
    await queryClient.resetQueries({ queryKey: sessionQueries.session.queryKey })
    await navigate(returnUrl, { replace: true })
  }
  const { outcome, returnUrl } = useAnswer(handleDone)
  return (
    <VisitorCard title={titleOf(outcome)}>
      <Stack>
        <Step outcome={outcome} onDone={() => handleDone(returnUrl)} />
      </Stack>
    </VisitorCard>
  )
}
