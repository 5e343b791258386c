import { Alert, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import type { PasskeyDto, PasskeySiteDto } from '../../../shared/dtos/passkey.ts'
import { api } from '../../api/http.ts'
import { createPasskey, isDismissed, isKnownHere, supportsPasskeys } from '../../api/passkeys.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { sessionQueries } from '../../api/session-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { FormButton } from '../../components/list-kit/dialogs.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RequestForm } from '../../components/request-form.tsx'
import * as t from '../../texts.ts'
import { PasskeyRow } from './passkey-row.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { Section } from './section.tsx'

/** Why no passkey can be added here, and what to do; undefined if one can. */
function obstacleAt({ origin, obstacle }: PasskeySiteDto): string | undefined {
  if (obstacle !== null) {
    return t.passkeys.obstacles[obstacle](origin)
  }
  if (origin !== location.origin) {
    return t.passkeys.elsewhere(origin)
  }
  return supportsPasskeys() ? undefined : t.passkeys.unsupported
}

function AddForm({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState(t.passkeys.defaultName)
  const add = useMutation({
    mutationFn: async () => {
      const { ticket, options } = await api.passkeys.additionOptions({})
      const credential = await createPasskey(options)
      return api.passkeys.add({ body: { ticket, name, credential } })
    },
    onSuccess: async () => {
      await invalidate(accountQueries.passkeys.queryKey, sessionQueries.session.queryKey)
      onDone()
    },
  })
  const refusal = isDismissed(add.error) ? t.passkeys.dismissed : isKnownHere(add.error) && t.passkeys.knownHere
  return (
    <RequestForm
      submit={t.common.continue}
      canSubmit={name.trim() !== ''}
      request={add}
      isExplained
      onSubmit={() => add.mutate()}
      onCancel={onDone}
    >
      <TextInput
        label={t.common.name}
        description={t.passkeys.nameHint}
        data-autofocus
        required
        withAsterisk={false}
        maxLength={100}
        {...textProps(name, setName)}
      />
      {refusal && <Alert role="alert">{refusal}</Alert>}
      {add.error && !refusal && <ProblemAlert error={add.error} title={t.passkeys.failed} />}
    </RequestForm>
  )
}

function Passkeys({ items, site }: { items: PasskeyDto[]; site: PasskeySiteDto }) {
  const obstacle = obstacleAt(site)
  return (
    <Stack>
      {items.length === 0 && <Text c="dimmed">{t.passkeys.none}</Text>}
      {items.map((passkey) => (
        <PasskeyRow key={passkey.id} passkey={passkey} />
      ))}
      {obstacle === undefined ? (
        <FormButton label={t.passkeys.add} button={{ style: { alignSelf: 'start' } }}>
          {(close) => <AddForm onDone={close} />}
        </FormButton>
      ) : (
        <Alert>{obstacle}</Alert>
      )}
    </Stack>
  )
}

/** Passkeys of the account: add, rename, remove. */
export function PasskeysSection() {
  const query = useQuery(accountQueries.passkeys)
  return (
    <Section title={t.passkeys.title} hint={t.passkeys.hint}>
      {query.data ? <Passkeys {...query.data} /> : <QueryState query={query} height={88} />}
    </Section>
  )
}
