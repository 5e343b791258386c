import { Modal, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import type { InviteResponseDto } from '../../../shared/dtos/invite.ts'
import { api } from '../../api/http.ts'
import { reloadPeople } from '../../api/people-queries.ts'
import { signInQueries } from '../../api/sign-in-queries.ts'
import { EmailField } from '../../components/email-field.tsx'
import { DialogForm } from '../../components/list-kit/dialogs.tsx'
import { isNewPassword, NewPasswordField } from '../../components/password-fields.tsx'
import * as t from '../../texts.ts'
import { Secret } from '../../components/secret.tsx'
import { isStartComplete, noStart, StartFields, startOf } from './start-fields.tsx'

export type NewPeopleDialog = 'invite' | 'create'

interface FormProps<Result> {
  onDone: (result: Result) => void
  onCancel: () => void
}

function InviteForm({ onDone, onCancel }: FormProps<InviteResponseDto>) {
  const [email, setEmail] = useState('')
  const [start, setStart] = useState(noStart)
  const { data: help } = useQuery(signInQueries.help)
  return (
    <DialogForm
      submit={t.people.inviteSubmit}
      canSubmit={email.trim() !== '' && isStartComplete(start)}
      save={() => api.people.invite({ body: { inviteeEmail: email, start: startOf(start) } })}
      onSaved={onDone}
      onCancel={onCancel}
    >
      <EmailField data-autofocus autoComplete="off" {...textProps(email, setEmail)} />
      <StartFields value={start} onChange={setStart} />
      {help && <Text c="dimmed">{help.sendsMail ? t.people.inviteMail : t.people.inviteNoMail}</Text>}
    </DialogForm>
  )
}

interface Created {
  id: string
  name: string
  /** Undefined if the administrator chose the password. */
  temporaryPassword: string | undefined
}

function CreateForm({ onDone, onCancel }: FormProps<Created>) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [start, setStart] = useState(noStart)
  const create = async (): Promise<Created> => {
    const body = { email, start: startOf(start), ...(password && { password }) }
    const { id, userName: name, temporaryPassword } = await api.people.create({ body })
    return { id, name, temporaryPassword: temporaryPassword ?? undefined }
  }
  return (
    <DialogForm
      submit={t.people.createSubmit}
      canSubmit={email.trim() !== '' && (password === '' || isNewPassword(password)) && isStartComplete(start)}
      save={create}
      onSaved={onDone}
      onCancel={onCancel}
    >
      <EmailField label={t.people.createEmail} data-autofocus autoComplete="off" {...textProps(email, setEmail)} />
      <NewPasswordField label={t.people.createPassword} required={false} {...textProps(password, setPassword)} />
      {password === '' && (
        <Text size="xs" c="dimmed">
          {t.people.createPasswordHint}
        </Text>
      )}
      <StartFields value={start} onChange={setStart} />
    </DialogForm>
  )
}

interface NewPeopleProps {
  /** Dialog that is open, as the address names it. */
  dialog: string
  onClose: () => void
  onCreated: (userId: string) => void
}

/** Dialogs for new people, and the link or password that is shown once afterwards. */
export function NewPeople({ dialog, onClose, onCreated }: NewPeopleProps) {
  const { data: help } = useQuery(signInQueries.help)
  const [invite, setInvite] = useState<InviteResponseDto>()
  const [created, setCreated] = useState<Created>()
  const finish = () => {
    onClose()
    void reloadPeople()
  }
  return (
    <>
      <Modal opened={dialog === 'invite'} onClose={onClose} title={t.people.inviteTitle}>
        <InviteForm
          onCancel={onClose}
          onDone={(made) => {
            finish()
            setInvite(made)
          }}
        />
      </Modal>
      <Modal opened={dialog === 'create'} onClose={onClose} title={t.people.createTitle}>
        <CreateForm
          onCancel={onClose}
          onDone={(made) => {
            finish()
            setCreated(made)
            if (made.temporaryPassword === undefined) {
              onCreated(made.id)
            }
          }}
        />
      </Modal>
      <Secret
        title={t.people.invitedTitle}
        hint={t.people.invitedHint(invite?.inviteeEmail ?? '', help?.sendsMail === true)}
        label={t.people.inviteLink}
        copy={t.people.copyLink}
        value={invite?.inviteUrl}
        notice={invite?.inviteUrlNotice}
        onClose={() => setInvite(undefined)}
      />
      <Secret
        title={t.people.temporaryTitle}
        hint={t.people.temporaryHint(created?.name ?? '')}
        label={t.people.temporary}
        copy={t.people.copyPassword}
        value={created?.temporaryPassword}
        onClose={() => {
          setCreated(undefined)
          onCreated(created?.id ?? '')
        }}
      />
    </>
  )
}
