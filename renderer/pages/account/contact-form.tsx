import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { chatServices, type ChatService } from '../../../shared/dtos/contact-method.ts'
import { api } from '../../api/http.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { textProps } from '../../components/field-props.ts'
import { DialogForm } from '../../components/list-kit/dialogs.tsx'
import * as t from '../../texts.ts'
import { contactFields } from './contact-fields.ts'
import { invalidate } from '../../api/query-client.ts'

const services = chatServices.map((value) => ({ value, label: t.notifications.services[value] }))

/** Form of a new contact method, with the fields that its service needs. */
export function ContactForm({ onDone }: { onDone: () => void }) {
  const [service, setService] = useState<ChatService>('ntfy')
  const [name, setName] = useState('')
  const [values, setValues] = useState({ address: '', token: '', chat: '' })
  const fields = contactFields[service]
  const save = async () => {
    const filled = Object.fromEntries(fields.map(({ field }) => [field, values[field].trim() || null]))
    await api.notifications.addMethod({ body: { service, name, ...filled } })
    await invalidate(accountQueries.notifications.queryKey)
  }
  const texts = t.notifications.fields[service]
  return (
    <DialogForm
      submit={t.notifications.addSubmit}
      canSubmit={
        name.trim() !== '' && fields.every(({ field, isRequired }) => !isRequired || values[field].trim() !== '')
      }
      save={save}
      onSaved={onDone}
      onCancel={onDone}
    >
      <NativeSelect
        label={t.notifications.service}
        description={t.notifications.serviceHints[service]}
        data={services}
        {...textProps(service, (value) => setService(value as ChatService))}
        data-autofocus
      />
      <TextInput
        label={t.common.name}
        placeholder={t.notifications.namePlaceholder}
        maxLength={100}
        {...textProps(name, setName)}
      />
      {fields.map(({ field, isRequired }) => (
        <TextInput
          key={`${service} ${field}`}
          label={texts[field]?.label}
          description={texts[field]?.hint}
          placeholder={texts[field]?.placeholder}
          withAsterisk={isRequired && fields.length > 1}
          autoComplete="off"
          spellCheck={false}
          maxLength={2000}
          {...textProps(values[field], (value) => setValues({ ...values, [field]: value }))}
        />
      ))}
    </DialogForm>
  )
}
