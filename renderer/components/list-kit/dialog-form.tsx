import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode, SubmitEvent } from 'react'
import { en as t } from '../../strings/en.ts'
import { ProblemAlert } from '../problem-alert.tsx'

interface DialogFormProps<Result> {
  /** Label of the submit button, with the verb: "Create group". */
  submit: string
  isDangerous?: boolean
  canSubmit?: boolean
  save: () => Promise<Result>
  onSaved: (result: Result) => void
  onCancel: () => void
  children: ReactNode
}

/** Form in a `Modal`: it saves, shows why saving failed, and keeps what was typed. */
export function DialogForm<Result>(props: DialogFormProps<Result>) {
  const { submit, isDangerous = false, canSubmit = true, save, onSaved, onCancel, children } = props
  const saving = useMutation({ mutationFn: save, onSuccess: onSaved })
  const handleSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (canSubmit && !saving.isPending) {
      saving.mutate()
    }
  }
  return (
    <Stack component="form" onSubmit={handleSubmit}>
      {children}
      {saving.error && <ProblemAlert error={saving.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel} data-autofocus={isDangerous || undefined}>
          {t.common.cancel}
        </Button>
        <Button
          type="submit"
          {...(isDangerous && { color: 'danger' })}
          loading={saving.isPending}
          disabled={!canSubmit}
        >
          {submit}
        </Button>
      </Group>
    </Stack>
  )
}
