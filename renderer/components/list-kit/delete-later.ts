import { notifications } from '@mantine/notifications'
import { useSyncExternalStore } from 'react'
import * as t from '../../texts.ts'
import { problemText } from '../problem-alert.tsx'
import { showUndoToast } from './undo-toast.tsx'

let waiting: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

function setWaiting(ids: ReadonlySet<string>) {
  waiting = ids
  listeners.forEach((listener) => listener())
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Ids of things that are hidden because they are about to be deleted. */
export const useWaitingDeletions = () => useSyncExternalStore(subscribe, () => waiting)

/**
 * Hides things, and deletes them once the offer to undo is closed or has run out: what is deleted with a thing cannot be made
 * again. Nothing is deleted if the page is closed before.
 */
export function deleteLater(ids: readonly string[], message: string, run: () => Promise<unknown>) {
  let isUndone = false
  const show = () => setWaiting(new Set([...waiting].filter((id) => !ids.includes(id))))
  setWaiting(new Set([...waiting, ...ids]))
  showUndoToast({
    message,
    onUndo: () => {
      isUndone = true
      show()
    },
    onClose: () => {
      if (isUndone) {
        return
      }
      run()
        .catch((error: unknown) =>
          notifications.show({ title: t.lists.deleteFailed, message: problemText(error), color: 'danger' }),
        )
        .finally(show)
    },
  })
}
