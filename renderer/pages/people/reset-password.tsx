import { Checkbox, Text } from '@mantine/core'
import { useState } from 'react'
import { checkProps } from '../../components/field-props.ts'
import type { PersonDetailDto } from '../../../shared/api/appliance-people.ts'
import { api } from '../../api/http.ts'
import { reloadPeople } from '../../api/people-queries.ts'
import { DialogForm, FormButton } from '../../components/list-kit/dialogs.tsx'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { otherWaysOf } from './person-texts.ts'
import { Secret } from '../../components/secret.tsx'

interface FormProps {
  person: PersonDetailDto
  onDone: (password: string) => void
  onCancel: () => void
}

function ResetForm({ person, onDone, onCancel }: FormProps) {
  const [removes, setRemoves] = useState(false)
  const others = otherWaysOf(person)
  const params = { userId: person.id }
  const reset = async () => {
    const { temporaryPassword } = await api.users.resetPassword({ params })
    if (removes) {
      await api.people.removeOtherWaysIn({ params })
    }
    return temporaryPassword
  }
  return (
    <DialogForm submit={t.people.resetPassword} save={reset} onSaved={onDone} onCancel={onCancel}>
      <Text>{t.people.resetHint}</Text>
      {others.length > 0 && (
        <>
          <Text>{t.people.resetRemains(t.people.and(others))}</Text>
          <Checkbox label={t.people.resetRemove} {...checkProps(removes, setRemoves)} />
        </>
      )}
    </DialogForm>
  )
}

/** Makes a temporary password, shown once. Says which other ways in remain, and offers to remove them. */
export function ResetPassword({ person }: { person: PersonDetailDto }) {
  const [password, setPassword] = useState<string>()
  const name = visibleName(person.name)
  return (
    <>
      <FormButton label={t.people.resetPassword} title={t.people.resetTitle(name)} button={{ size: 'xs' }}>
        {(close) => (
          <ResetForm
            person={person}
            onCancel={close}
            onDone={(made) => {
              close()
              setPassword(made)
              void reloadPeople()
            }}
          />
        )}
      </FormButton>
      <Secret
        title={t.people.temporaryTitle}
        hint={t.people.temporaryHint(name)}
        label={t.people.temporary}
        copy={t.people.copyPassword}
        value={password}
        onClose={() => setPassword(undefined)}
      />
    </>
  )
}
