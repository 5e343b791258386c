import { Button, Group, Radio, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import type { SecondFactorRuleDto } from '../../../shared/api/appliance-organization.ts'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { submitHandler } from '../../components/request-form.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import classes from './settings-page.module.css'

/** Days that people get to set up a second factor, unless another date is chosen. */
const daysOfGrace = 14

/** Formats a day for `date` inputs, in the zone of this browser. */
function dayOf(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

function defaultDay(): string {
  const at = new Date()
  at.setDate(at.getDate() + daysOfGrace)
  return dayOf(at)
}

/** People and access tokens that a requirement would stop. */
function Concerned({ rule: { peopleWithout, names, accessTokens } }: { rule: SecondFactorRuleDto }) {
  const { can } = useSession()
  return (
    <p className="small">
      {t.settings.withoutFactor(peopleWithout, names)} {accessTokens > 0 && t.settings.tokensStop(accessTokens)}{' '}
      {peopleWithout > 0 && can('tenant.users.read') && (
        <Link to="/people?show=one-factor">{t.settings.showWithout}</Link>
      )}
    </p>
  )
}

function RuleForm({ rule, isReadOnly }: { rule: SecondFactorRuleDto; isReadOnly: boolean }) {
  const stored = rule.requiredFrom === null ? '' : dayOf(new Date(rule.requiredFrom))
  /** Chosen day, blank for no requirement; undefined until something was chosen. */
  const [chosen, setChosen] = useState<string>()
  const day = chosen ?? stored
  const [isOn, setIsOn] = useState(stored !== '')
  const change = useMutation({
    mutationFn: () =>
      api.organization.setSecondFactor({
        body: { requiredFrom: isOn ? new Date(`${day}T00:00`).toISOString() : null },
      }),
    onSuccess: async () => {
      await invalidate(serverQueries.secondFactorRule.queryKey)
      setChosen(undefined)
    },
  })
  const isChanged = isOn ? day !== '' && day !== stored : stored !== ''
  const handleChoice = (choice: string) => {
    setIsOn(choice === 'on')
    setChosen(choice === 'on' && day === '' ? defaultDay() : chosen)
  }
  return (
    <Stack component="form" gap="sm" onSubmit={submitHandler(() => isChanged && !change.isPending && change.mutate())}>
      <Radio.Group label={t.settings.secondFactor} value={isOn ? 'on' : 'off'} onChange={handleChoice}>
        <Stack gap={8} mt={6}>
          <Radio
            value="off"
            disabled={isReadOnly}
            label={t.settings.factorOff}
            description={t.settings.factorOffHint}
          />
          <Radio value="on" disabled={isReadOnly} label={t.settings.factorOn} description={t.settings.factorOnHint} />
        </Stack>
      </Radio.Group>
      {isOn && (
        <TextInput
          type="date"
          maw={200}
          label={t.settings.factorFrom}
          disabled={isReadOnly}
          required
          withAsterisk={false}
          value={day}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      {change.error && <ProblemAlert error={change.error} />}
      {!isReadOnly && (
        <Group>
          <Button type="submit" disabled={!isChanged} loading={change.isPending}>
            {t.settings.save}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Whether people need a second factor. */
export function SignInSection({ isReadOnly }: { isReadOnly: boolean }) {
  const { data: rule } = useQuery(serverQueries.secondFactorRule)
  return (
    <section className={classes.section} id="sign-in" aria-label={t.settings.signIn}>
      <h2>{t.settings.signIn}</h2>
      {rule && (
        <>
          <RuleForm key={rule.requiredFrom} rule={rule} isReadOnly={isReadOnly} />
          <Concerned rule={rule} />
        </>
      )}
    </section>
  )
}
