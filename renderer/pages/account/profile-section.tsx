import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import { api } from '../../api/http.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { sessionQueries } from '../../api/session-queries.ts'
import { EmailField } from '../../components/email-field.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import classes from './account-page.module.css'
import { Section } from './section.tsx'
import { usePreferenceChange } from './use-preference-change.ts'
import { invalidate } from '../../api/query-client.ts'
import { submitHandler } from '../../components/request-form.tsx'

function DisplayNameForm({ stored }: { stored: string }) {
  const [name, setName] = useState(stored)
  const change = usePreferenceChange('user-display-name')
  return (
    <form onSubmit={submitHandler(() => change.mutate(name))} className={classes.form}>
      <TextInput
        className={classes.field}
        label={t.account.displayName}
        description={t.account.displayNameHint}
        maxLength={50}
        autoComplete="name"
        {...textProps(name, setName)}
      />
      <Button type="submit" variant="default" loading={change.isPending} disabled={name.trim() === stored}>
        {t.account.saveName}
      </Button>
      {change.error && <ProblemAlert error={change.error} />}
    </form>
  )
}

function AddressForm() {
  const { user } = useSession()
  const { data: account } = useQuery(accountQueries.account)
  const [typed, setTyped] = useState(user.email)
  const change = useMutation({
    mutationFn: (email: string) => api.account.changeEmail({ body: { email } }),
    onSuccess: () => invalidate(sessionQueries.session.queryKey, accountQueries.account.queryKey),
  })
  const isUnconfirmed = account?.isMailOn && !account.isEmailConfirmed
  return (
    <form onSubmit={submitHandler(() => change.mutate(typed))} className={classes.form}>
      <div className={classes.field}>
        <EmailField
          {...textProps(typed, setTyped)}
          description={account && (account.isMailOn ? t.account.emailByMail : t.account.emailAtOnce)}
        />
      </div>
      <Button
        type="submit"
        variant="default"
        loading={change.isPending}
        disabled={typed.trim().toLowerCase() === user.email || typed.trim() === ''}
      >
        {t.account.changeEmail}
      </Button>
      {isUnconfirmed && (
        <Text flex="1 0 100%" size="sm">
          {t.account.unconfirmed}{' '}
          <Button variant="subtle" size="compact-sm" onClick={() => change.mutate(user.email)}>
            {t.account.sendAgain}
          </Button>
        </Text>
      )}
      {change.data && (
        <Alert flex="1 0 100%" role="status">
          {change.data.isConfirmationSent ? t.account.linkSent(change.variables) : t.account.emailChanged(user.email)}
        </Alert>
      )}
      {change.error && <ProblemAlert error={change.error} />}
    </form>
  )
}

/** Name and address of the account. */
export function ProfileSection() {
  const { data: preferences } = useQuery(accountQueries.preferences)
  return (
    <Section title={t.account.profile}>
      <Stack gap={16} mt={8}>
        {preferences && <DisplayNameForm key={preferences.userDisplayName} stored={preferences.userDisplayName} />}
        <AddressForm />
      </Stack>
    </Section>
  )
}
