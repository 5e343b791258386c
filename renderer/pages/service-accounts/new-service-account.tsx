import { Modal, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import { DialogForm } from '../../components/list-kit/dialogs.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { serviceAccountQueries, doorOf, type Owner } from './service-accounts.ts'
import { invalidate } from '../../api/query-client.ts'

interface NameFieldsProps {
  name: string
  description: string
  onName: (name: string) => void
  onDescription: (description: string) => void
}

export const NameFields = ({ name, description, onName, onDescription }: NameFieldsProps) => (
  <>
    <TextInput label={t.common.name} maxLength={100} data-autofocus autoComplete="off" {...textProps(name, onName)} />
    <Textarea
      label={t.serviceAccounts.description}
      description={t.serviceAccounts.descriptionHint}
      maxLength={500}
      autosize
      maxRows={5}
      {...textProps(description, onDescription)}
    />
  </>
)

interface NewAccountProps {
  /** Owners that the person may create accounts for. */
  owners: readonly Owner[]
  onClose: () => void
  onCreated: (id: string) => void
}

function Content({ owners, onClose, onCreated }: NewAccountProps) {
  const { user, can } = useSession()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [owner, setOwner] = useState<Owner>(owners[0] ?? 'tenant')
  const [mode, setMode] = useState<'Restricted' | 'Unrestricted'>('Restricted')
  const mayUnrestricted = can('server.permissions.write')
  return (
    <DialogForm
      submit={t.serviceAccounts.createSubmit}
      canSubmit={name.trim() !== ''}
      save={() =>
        doorOf(owner, user.tenantId).create({ name: name.trim(), description: description.trim() || null }, mode)
      }
      onSaved={async ({ id }) => {
        await invalidate(serviceAccountQueries.all)
        onClose()
        onCreated(id)
      }}
      onCancel={onClose}
    >
      <NameFields name={name} description={description} onName={setName} onDescription={setDescription} />
      {owners.length > 1 && (
        <Radio.Group
          label={t.serviceAccounts.belongs}
          value={owner}
          onChange={(value) => setOwner(value === 'server' ? 'server' : 'tenant')}
        >
          <Stack gap={6} mt={4}>
            {owners.map((value) => (
              <Radio key={value} value={value} label={t.serviceAccounts.owner[value]} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {owner === 'server' && (
        <Radio.Group
          label={t.serviceAccounts.accessMode}
          value={mode}
          onChange={(value) => setMode(value === 'Unrestricted' ? 'Unrestricted' : 'Restricted')}
        >
          <Stack gap={6} mt={4}>
            <Radio
              value="Restricted"
              label={t.serviceAccounts.restricted}
              description={t.serviceAccounts.restrictedHint}
            />
            <Radio
              value="Unrestricted"
              disabled={!mayUnrestricted}
              label={t.serviceAccounts.unrestricted}
              description={mayUnrestricted ? t.serviceAccounts.unrestrictedHint : t.serviceAccounts.unrestrictedNeeds}
            />
          </Stack>
        </Radio.Group>
      )}
    </DialogForm>
  )
}

/** Dialog that creates a service account. */
export const NewServiceAccount = ({ isOpen, ...props }: NewAccountProps & { isOpen: boolean }) => (
  <Modal opened={isOpen} onClose={props.onClose} title={t.serviceAccounts.create}>
    <Content {...props} />
  </Modal>
)
