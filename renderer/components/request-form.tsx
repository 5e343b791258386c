import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode, SubmitEvent } from 'react'
import * as t from '../texts.ts'
import { ProblemAlert } from './problem-alert.tsx'

/** Handler of a form's submit event that sends the form itself: the browser must not load another page. */
export const submitHandler = (send: () => void) => (event: SubmitEvent) => {
  event.preventDefault()
  send()
}

interface RequestFormProps {
  /** Label of the submit button, with the verb: "Create group". */
  submit: string
  isDangerous?: boolean
  canSubmit?: boolean
  /** Request that the form sends; its error is shown below the fields. */
  request: { isPending: boolean; error: unknown }
  /** The fields explain the error themselves. */
  isExplained?: boolean
  onSubmit: () => void
  /** Without this handler the form is the content of its page: the submit button has the full width. */
  onCancel?: () => void
  children: ReactNode
  /** Below the submit button: other ways. */
  footer?: ReactNode
}

/** Form that sends one request, shows why it failed, and keeps what was typed. */
export function RequestForm(props: RequestFormProps) {
  const { isDangerous = false, canSubmit = true, request, isExplained = false, onCancel } = props
  const button = (
    <Button
      type="submit"
      {...(isDangerous && { color: 'danger' })}
      loading={request.isPending}
      disabled={!canSubmit}
      fullWidth={!onCancel}
    >
      {props.submit}
    </Button>
  )
  return (
    <Stack component="form" onSubmit={submitHandler(() => canSubmit && !request.isPending && props.onSubmit())}>
      {props.children}
      {Boolean(request.error) && !isExplained && <ProblemAlert error={request.error} />}
      {onCancel ? (
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel} data-autofocus={isDangerous || undefined}>
            {t.common.cancel}
          </Button>
          {button}
        </Group>
      ) : (
        button
      )}
      {props.footer}
    </Stack>
  )
}
