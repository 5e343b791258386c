import { NativeSelect } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { AlertOnCallDto } from '../../../shared/dtos/alert.ts'
import { alertQueries } from '../../api/alert-queries.ts'
import { api } from '../../api/http.ts'
import cards from '../../components/card-page.module.css'
import { textProps } from '../../components/field-props.ts'
import { PageHead } from '../../components/page-head.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { RequestForm } from '../../components/request-form.tsx'
import { SearchSelect, type Choice } from '../../components/search-select.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { minuteChoices } from './conditions.ts'
import { invalidate } from '../../api/query-client.ts'
import classes from './alerts.module.css'

const choicesOf = (id: string | null, name: string | null): readonly Choice[] =>
  id === null ? [] : [{ kind: 'User', id, name: name ?? '…' }]

const person = (choices: readonly Choice[]) => choices.find(({ kind }) => kind === 'User')?.id ?? null

function OnCallForm({ onCall }: { onCall: AlertOnCallDto }) {
  const [first, setFirst] = useState(choicesOf(onCall.firstUserId, onCall.firstName))
  const [second, setSecond] = useState(choicesOf(onCall.secondUserId, onCall.secondName))
  const [minutes, setMinutes] = useState(String(onCall.afterMinutes))
  const [shown, setShown] = useState(onCall)
  if (onCall !== shown) {
    // Saved here or by others. Another form in this place would lose the focus.
    setShown(onCall)
    setFirst(choicesOf(onCall.firstUserId, onCall.firstName))
    setSecond(choicesOf(onCall.secondUserId, onCall.secondName))
    setMinutes(String(onCall.afterMinutes))
  }
  const save = useMutation({
    mutationFn: () =>
      api.alerts.setOnCall({
        body: { firstUserId: person(first), secondUserId: person(second), afterMinutes: Number(minutes) },
      }),
    onSuccess: () => {
      notifications.show({ message: t.alertOnCall.saved })
      return invalidate(alertQueries.all)
    },
  })
  return (
    <RequestForm submit={t.common.save} request={save} onSubmit={() => save.mutate()}>
      <SearchSelect
        label={t.alertOnCall.first}
        hint={t.alertOnCall.firstHint}
        placeholder={t.alertOnCall.none}
        kind="Principal"
        max={1}
        value={first}
        onChange={setFirst}
      />
      <SearchSelect
        label={t.alertOnCall.second}
        hint={t.alertOnCall.secondHint}
        placeholder={t.alertOnCall.none}
        kind="Principal"
        max={1}
        value={second}
        onChange={setSecond}
      />
      <NativeSelect
        label={t.alertOnCall.after}
        data={minuteChoices(onCall.afterMinutes)
          .filter((choice) => choice <= 24 * 60)
          .map((choice) => ({ value: String(choice), label: t.alertRules.time(choice) }))}
        {...textProps(minutes, setMinutes)}
      />
    </RequestForm>
  )
}

/** People on call: the first, and the one who is notified while nobody has acknowledged. */
export function OnCallPart({ tabs }: { tabs: ReactNode }) {
  const { can } = useSession()
  const query = useQuery(alertQueries.onCall)
  const { data } = query
  return (
    <>
      <PageHead title={t.alerts.title} intro={t.alertOnCall.intro} />
      {tabs}
      <div className={cards.content}>
        {!data && <QueryState query={query} height={240} />}
        {data && (
          <section className={classes.onCall} aria-label={t.alertOnCall.first}>
            {can('tenant.settings.write') ? (
              <OnCallForm onCall={data} />
            ) : (
              <p>
                {t.alertOnCall.first}: {data.firstName ?? t.alertOnCall.nobody}. {t.alertOnCall.second}:{' '}
                {data.secondName ?? t.alertOnCall.nobody}.
              </p>
            )}
          </section>
        )}
      </div>
    </>
  )
}
