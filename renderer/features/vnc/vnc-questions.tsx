import { Alert, Button, Group, PasswordInput, TextInput } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useState } from 'react'
import * as t from '../../texts.ts'
import classes from './vnc.module.css'
import type { CredentialName, Credentials } from './vnc-session.ts'
import { submitHandler } from '../../components/request-form.tsx'

interface CredentialsFormProps {
  names: readonly CredentialName[]
  /** Reason why the VNC server asks again. */
  problem?: string
  onSubmit: (credentials: Credentials) => void
  onCancel: () => void
}

const labels = { username: t.vnc.username, password: t.vnc.password, target: t.vnc.target }

/** Form for the credentials that the VNC server requires. */
export function CredentialsForm({ names, problem, onSubmit, onCancel }: CredentialsFormProps) {
  const [values, setValues] = useState<Credentials>({})
  return (
    <form
      className={classes.start}
      onSubmit={submitHandler(() => onSubmit(Object.fromEntries(names.map((name) => [name, values[name] ?? '']))))}
      autoComplete="off"
    >
      <div>
        <h2>{t.vnc.credentialsTitle}</h2>
        <p className="muted">{t.vnc.credentialsHint}</p>
      </div>
      {problem && (
        <Alert color="danger" role="alert" icon={<IconAlertCircle size={18} />}>
          {problem}
        </Alert>
      )}
      {names.map((name, index) => {
        const Field = name === 'password' ? PasswordInput : TextInput
        return (
          <Field
            key={name}
            label={labels[name]}
            autoFocus={index === 0}
            // The password belongs to the device: password managers should not store it for this page.
            autoComplete={name === 'password' ? 'new-password' : 'off'}
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        )
      })}
      <Group gap={8} wrap="nowrap">
        <Button type="submit">{t.common.continue}</Button>
        <Button variant="default" onClick={onCancel}>
          {t.common.cancel}
        </Button>
      </Group>
    </form>
  )
}

interface KeyQuestionProps {
  fingerprint: string
  onApprove: () => void
  onCancel: () => void
}

/** Asks the user to confirm the key of the VNC server. */
export const KeyQuestion = ({ fingerprint, onApprove, onCancel }: KeyQuestionProps) => (
  <div className={classes.start}>
    <div>
      <h2>{t.vnc.keyTitle}</h2>
      <p className="muted">{t.vnc.keyHint}</p>
    </div>
    <code>{fingerprint || t.vnc.keyUnknown}</code>
    <Group gap={8} wrap="nowrap">
      <Button autoFocus onClick={onApprove}>
        {t.vnc.approve}
      </Button>
      <Button variant="default" onClick={onCancel}>
        {t.common.cancel}
      </Button>
    </Group>
  </div>
)
