import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { consentSubjects } from '../../../../shared/dtos/consent.ts'
import { consentQueries } from '../../../api/consent-queries.ts'
import { api } from '../../../api/http.ts'
import { invalidate } from '../../../api/query-client.ts'
import { Fact } from '../../../components/fact.tsx'
import { Section } from '../../../components/device-facts.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import { useSession } from '../../../hooks/use-session.ts'
import { moment } from '../../../text/format.ts'
import { visibleName } from '../../../text/visible-name.ts'
import * as t from '../../../texts.ts'
import classes from './overview.module.css'

const texts = t.consent.atDevice

/** Policies that hold for this person's visits, and standing answers of the people at the device. */
export function ConsentSection() {
  const { device } = usePageDevice()
  const { can } = useSession()
  const query = consentQueries.device(device.id)
  const { data } = useQuery(query)
  const clear = useMutation({
    mutationFn: () => api.consent.clear({ params: { deviceId: device.id } }),
    onSettled: () => invalidate(query.queryKey),
  })
  if (!data) {
    return null
  }
  const { rules, answers, canAsk } = data
  const asked = consentSubjects.filter((subject) => rules[subject].mode !== 'never')
  const hasAnswers = answers.standing.length + answers.alwaysAsk.length > 0
  return (
    <Section title={t.consent.answersTitle}>
      {asked.length === 0 && <p>{texts.none}</p>}
      {asked.length > 0 && (
        <dl className={classes.labels}>
          {asked.map((subject) => (
            <Fact key={subject} label={texts.asked(subject)}>
              {texts.by(rules[subject].mode, rules[subject].policies.map(visibleName))}{' '}
              {rules[subject].allowsSilence && texts.silence}
            </Fact>
          ))}
        </dl>
      )}
      {asked.length > 0 && device.isOnline && !canAsk && <p className="small muted">{texts.cannotAsk}</p>}
      {hasAnswers && (
        <ul className="bullets">
          {answers.alwaysAsk.map((person) => (
            <li key={person}>{texts.always(visibleName(person))}</li>
          ))}
          {answers.standing.map(({ person, visitorId, visitorName, subject, until }) => (
            <li key={`${person} ${visitorId} ${subject}`}>
              {texts.standing(visibleName(person), visibleName(visitorName), subject, moment(Date.parse(until)))}
            </li>
          ))}
        </ul>
      )}
      {hasAnswers && can('tenant.settings.write') && (
        <Button variant="default" size="xs" loading={clear.isPending} onClick={() => clear.mutate()}>
          {texts.clear}
        </Button>
      )}
      {clear.error && <ProblemAlert error={clear.error} />}
    </Section>
  )
}
