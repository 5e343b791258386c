import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import * as t from '../../texts.ts'
import { problemText } from '../problem-alert.tsx'

/** Time to undo, in ms. */
const undoMs = 10_000

interface UndoToast {
  message: string
  onUndo: () => void
  onClose?: () => void
}

/** Says what happened, with a button that closes the message and undoes it. Returns the id of the message. */
export function showUndoToast({ message, onUndo, onClose }: UndoToast): string {
  const id = notifications.show({
    autoClose: undoMs,
    closeButtonProps: { 'aria-label': t.common.close },
    ...(onClose && { onClose }),
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span className="wrap-anywhere">{message}</span>
        <Button
          variant="default"
          size="compact-sm"
          flex="none"
          onClick={() => {
            onUndo()
            notifications.hide(id)
          }}
        >
          {t.lists.undo}
        </Button>
      </Group>
    ),
  })
  return id
}

/** Says what happened and offers to undo it. */
export const showUndo = (message: string, undo: () => Promise<unknown>) =>
  showUndoToast({
    message,
    onUndo: () =>
      void undo().catch((error: unknown) =>
        notifications.show({ title: t.lists.undoFailed, message: problemText(error), color: 'danger' }),
      ),
  })
