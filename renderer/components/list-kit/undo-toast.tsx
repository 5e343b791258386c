import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { en as t } from '../../strings/en.ts'
import { problemText } from '../problem-alert.tsx'

/** Time to undo, in ms. */
const undoMs = 10_000

/** Says what happened and offers to undo it. */
export function showUndo(message: string, undo: () => Promise<unknown>) {
  const id = notifications.show({
    autoClose: undoMs,
    closeButtonProps: { 'aria-label': t.common.close },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span style={{ overflowWrap: 'anywhere' }}>{message}</span>
        <Button
          variant="default"
          size="compact-sm"
          flex="none"
          onClick={() => {
            notifications.hide(id)
            undo().catch((error: unknown) =>
              notifications.show({ title: t.lists.undoFailed, message: problemText(error), color: 'danger' }),
            )
          }}
        >
          {t.lists.undo}
        </Button>
      </Group>
    ),
  })
}
