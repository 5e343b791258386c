import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import * as t from '../texts.ts'
import { CopyButton } from './copy-button.tsx'
import command from './command.module.css'

interface SecretDialogProps<Value> {
  title: string
  hint: ReactNode
  /** The secret; undefined while there is none. */
  value: Value | undefined
  onClose: () => void
  /** Shows the secret, and calls `onSaved` when it is copied or printed. */
  children: (value: Value, onSaved: () => void) => ReactNode
}

function Content<Value>({ hint, value, onClose, children }: SecretDialogProps<Value>) {
  const [isSaved, setIsSaved] = useState(false)
  const [isWarned, setIsWarned] = useState(false)
  const isUnsaved = isWarned && !isSaved
  return (
    <Stack>
      <Text component="div">{hint}</Text>
      {value !== undefined && children(value, () => setIsSaved(true))}
      {isUnsaved && (
        <Alert color="warning" role="alert">
          {t.account.unsaved}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => (isSaved || isWarned ? onClose() : setIsWarned(true))}>
          {isUnsaved ? t.account.closeUnsaved : t.common.done}
        </Button>
      </Group>
    </Stack>
  )
}

/** Shows a secret that is never shown again; closing it unsaved asks once. */
export function SecretDialog<Value>(props: SecretDialogProps<Value>) {
  return (
    <Modal
      opened={props.value !== undefined}
      onClose={props.onClose}
      title={props.title}
      size="lg"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Content {...props} />
    </Modal>
  )
}

interface SecretProps extends Omit<SecretDialogProps<string>, 'children'> {
  /** Name of the secret for screen readers. */
  label: string
  copy: string
  notice?: string | undefined
  /** Lines that try the secret. */
  children?: SecretDialogProps<string>['children']
}

/** A password, link, token or key that is shown once. */
export const Secret = ({ label, copy, notice, children, ...dialog }: SecretProps) => (
  <SecretDialog {...dialog}>
    {(value, onSaved) => (
      <div>
        {notice && <Alert color="warning">{notice}</Alert>}
        <pre className={command.command} aria-label={label}>
          {value}
        </pre>
        <CopyButton text={value} label={copy} onCopied={onSaved} />
        {children?.(value, onSaved)}
      </div>
    )}
  </SecretDialog>
)
