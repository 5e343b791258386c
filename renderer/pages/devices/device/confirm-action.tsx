import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { AskedAction } from '../../../components/device-actions.ts'
import * as t from '../../../texts.ts'

export type ConfirmedAction = keyof typeof t.visit.confirm

export const needsConfirmation = (action: AskedAction): action is ConfirmedAction => action in t.visit.confirm

interface ConfirmActionProps {
  action: ConfirmedAction | undefined
  name: string
  onClose: () => void
  onConfirm: (action: ConfirmedAction) => void
}

/** Confirms an irreversible action; the button names the device. */
export function ConfirmAction({ action, name, onClose, onConfirm }: ConfirmActionProps) {
  const texts = action && t.visit.confirm[action]
  return (
    <Modal opened={action !== undefined} onClose={onClose} title={texts?.title(name)}>
      {action && texts && (
        <Stack>
          <Text>{texts.hint}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              {t.common.cancel}
            </Button>
            <Button
              color="danger"
              maw="100%"
              onClick={() => {
                onClose()
                onConfirm(action)
              }}
            >
              <span className="truncate">{texts.button(name)}</span>
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
