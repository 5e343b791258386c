import { Radio, Select, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { devicePermissions, type DevicePermission } from '../../../../shared/access.ts'
import type { ConsentPolicyBody } from '../../../../shared/api/appliance-consent.ts'
import { consentModes, consentSubjects, type ConsentMode } from '../../../../shared/dtos/consent.ts'
import { permissionTexts } from '../../../../shared/permission-texts.ts'
import { organizationQueries } from '../../../api/organization-queries.ts'
import { textProps } from '../../../components/field-props.ts'
import { DialogForm } from '../../../components/list-kit/dialogs.tsx'
import { useSession } from '../../../hooks/use-session.ts'
import { visibleName } from '../../../text/visible-name.ts'
import * as t from '../../../texts.ts'

interface PolicyFormProps<Saved> {
  start: ConsentPolicyBody
  submit: string
  save: (body: ConsentPolicyBody) => Promise<Saved>
  onSaved: (saved: Saved) => void
  onCancel: () => void
}

const optionOf = ({ id, name }: { id: string; name: string }) => ({ value: id, label: visibleName(name) })
const modeOptions = consentModes.map((mode) => ({ value: mode, label: t.consent.modes[mode] }))
const permissionOptions = devicePermissions.map((name) => ({ value: name, label: permissionTexts[name].displayName }))

/** Devices, questions and exception of a policy. */
export function PolicyForm<Saved>({ start, submit, save, onSaved, onCancel }: PolicyFormProps<Saved>) {
  const { can } = useSession()
  const [body, setBody] = useState(start)
  const change = (changes: Partial<ConsentPolicyBody>) => setBody((before) => ({ ...before, ...changes }))
  const customers = useQuery({
    ...organizationQueries.customers,
    enabled: can('tenant.customers.read'),
  }).data
  const tags = useQuery(organizationQueries.tags).data
  return (
    <DialogForm
      submit={submit}
      canSubmit={body.name.trim() !== '' && consentSubjects.some((subject) => body[subject] !== 'never')}
      save={() => save({ ...body, name: body.name.trim() })}
      onSaved={onSaved}
      onCancel={onCancel}
    >
      <TextInput
        label={t.common.name}
        description={t.consent.nameHint}
        maxLength={100}
        data-autofocus
        autoComplete="off"
        {...textProps(body.name, (name) => change({ name }))}
      />
      <Select
        label={t.consent.customer}
        description={t.consent.customerHint}
        placeholder={t.consent.any}
        data={(customers ?? []).map(optionOf)}
        value={body.customerId}
        onChange={(customerId) => change({ customerId })}
        searchable
        clearable
      />
      <Select
        label={t.consent.tag}
        description={t.consent.tagHint}
        placeholder={t.consent.any}
        data={(tags ?? []).map(optionOf)}
        value={body.tagId}
        onChange={(tagId) => change({ tagId })}
        searchable
        clearable
      />
      {consentSubjects.map((subject) => (
        <Select
          key={subject}
          label={t.consent.subjects[subject]}
          data={modeOptions}
          value={body[subject]}
          onChange={(mode) => change({ [subject]: (mode ?? 'never') as ConsentMode })}
          allowDeselect={false}
        />
      ))}
      <p className="small muted" style={{ margin: 0 }}>
        {t.consent.signedInHint}
      </p>
      <Radio.Group
        label={t.consent.silence}
        value={body.allowsSilence ? 'allow' : 'refuse'}
        onChange={(choice) => change({ allowsSilence: choice === 'allow' })}
      >
        <Stack gap={8} mt={6}>
          <Radio value="refuse" label={t.consent.silenceChoices.refuse} />
          <Radio value="allow" label={t.consent.silenceChoices.allow} />
        </Stack>
      </Radio.Group>
      <Select
        label={t.consent.except}
        description={t.consent.exceptHint}
        placeholder={t.consent.nobody}
        data={permissionOptions}
        value={body.exceptPermission}
        onChange={(name) => change({ exceptPermission: name as DevicePermission | null })}
        searchable
        clearable
      />
    </DialogForm>
  )
}
