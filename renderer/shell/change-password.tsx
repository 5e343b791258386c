import { Modal, Stack, Text } from '@mantine/core'
import { ChangePasswordForm } from '../components/change-password-form.tsx'
import * as t from '../texts.ts'

export const ChangePassword = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Modal opened={isOpen} onClose={onClose} title={t.password.change}>
    <Stack>
      <Text c="dimmed">{t.password.changeHint}</Text>
      <ChangePasswordForm onDone={onClose} onCancel={onClose} />
    </Stack>
  </Modal>
)
