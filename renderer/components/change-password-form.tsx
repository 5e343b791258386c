import { Button, Group, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { textProps } from './field-props.ts'
import { api, statusOf } from '../api/http.ts'
import * as t from '../texts.ts'
import { isNewPassword, NewPasswordField, PasswordField } from './password-fields.tsx'
import { ProblemAlert } from './problem-alert.tsx'
import { submitHandler } from './request-form.tsx'

/** Asks for the current and a new password. `onCancel` adds a button for leaving. */
export function ChangePasswordForm({ onDone, onCancel }: { onDone: () => void; onCancel?: () => void }) {
  const [currentPassword, setCurrentPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const change = useMutation({
    mutationFn: () => api.auth.changePassword({ body: { currentPassword, newPassword } }),
    onSuccess: () => {
      notifications.show({ message: t.password.changed })
      onDone()
    },
  })
  const isWrong = statusOf(change.error) === 400
  const isSame = newPassword !== '' && newPassword === currentPassword
  return (
    <form onSubmit={submitHandler(() => change.mutate())}>
      <Stack>
        <PasswordField
          label={t.password.current}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          {...textProps(currentPassword, setCurrentPassword)}
          error={isWrong && t.password.wrongCurrent}
        />
        <NewPasswordField
          label={t.password.next}
          {...textProps(newPassword, setNewPassword)}
          error={isSame && t.password.same}
        />
        {change.error && !isWrong && <ProblemAlert error={change.error} />}
        <Group justify={onCancel ? 'flex-end' : 'flex-start'}>
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {t.common.cancel}
            </Button>
          )}
          <Button
            type="submit"
            loading={change.isPending}
            disabled={!currentPassword || isSame || !isNewPassword(newPassword)}
          >
            {t.password.change}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
