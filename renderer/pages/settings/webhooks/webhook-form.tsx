import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { WebhookBody } from '../../../../shared/api/appliance-webhooks.ts'
import { textProps } from '../../../components/field-props.ts'
import { DialogForm } from '../../../components/list-kit/dialogs.tsx'
import * as t from '../../../texts.ts'
import { EventKindsField } from './event-kinds-field.tsx'

interface WebhookFormProps<Saved> {
  start: WebhookBody
  submit: string
  save: (body: WebhookBody) => Promise<Saved>
  onSaved: (saved: Saved) => void
  onCancel: () => void
}

/** Name, address and events of a webhook. */
export function WebhookForm<Saved>({ start, submit, save, onSaved, onCancel }: WebhookFormProps<Saved>) {
  const [name, setName] = useState(start.name)
  const [url, setUrl] = useState(start.url)
  const [kinds, setKinds] = useState<readonly string[] | null>(start.kinds)
  return (
    <DialogForm
      submit={submit}
      canSubmit={name.trim() !== '' && url.trim() !== '' && kinds?.length !== 0}
      save={() => save({ ...start, name: name.trim(), url: url.trim(), kinds: kinds && [...kinds] })}
      onSaved={onSaved}
      onCancel={onCancel}
    >
      <TextInput
        label={t.common.name}
        description={t.webhooks.nameHint}
        maxLength={100}
        data-autofocus
        autoComplete="off"
        {...textProps(name, setName)}
      />
      <TextInput
        label={t.webhooks.address}
        description={t.webhooks.addressHint}
        placeholder="https://"
        type="url"
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
        {...textProps(url, setUrl)}
      />
      <p className="small muted" style={{ margin: 0 }}>
        {t.webhooks.networks} <code className="wrap-anywhere">Service_AppOptions__OutgoingNetworks__0</code>,{' '}
        {t.webhooks.networksExample}
      </p>
      <EventKindsField kinds={kinds} onChange={setKinds} />
    </DialogForm>
  )
}
