import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import * as t from '../texts.ts'

interface SecretDialogProps {
  title: string
  hint: ReactNode
  isSaved: boolean
  onClose: () => void
  children: ReactNode
}

function Content({ hint, isSaved, onClose, children }: SecretDialogProps) {
  const [isWarned, setIsWarned] = useState(false)
  const isUnsaved = isWarned && !isSaved
  return (
    <Stack>
      <Text component="div">{hint}</Text>
      {children}
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
export const SecretDialog = ({ isOpen, ...props }: SecretDialogProps & { isOpen: boolean }) => (
  <Modal
    opened={isOpen}
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
