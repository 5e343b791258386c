import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { en as t } from '../../strings/en.ts'

interface RemovalDialogProps {
  isOpen: boolean
  onClose: () => void
  title: string
  /** Says what ends with the removal. */
  hint: string
  confirm: string
  onConfirm: () => Promise<void>
}

/** Asks before a way to sign in is removed. */
export function RemovalDialog({ isOpen, onClose, title, hint, confirm, onConfirm }: RemovalDialogProps) {
  const remove = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <Text>{hint}</Text>
        {remove.error && <ProblemAlert error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            {t.common.cancel}
          </Button>
          <Button color="danger" loading={remove.isPending} onClick={() => remove.mutate()}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
