import { notifications } from '@mantine/notifications'
import { useSyncExternalStore } from 'react'
import { beforeSignOut, signedOut } from '../../api/sign-out.ts'
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

/** Deletions that wait, by the id of their message. */
const deletions = new Map<string, () => Promise<unknown>>()

/**
 * Hides things, and deletes them once the offer to undo is closed or has run out: what is deleted with a thing cannot be made
 * again. Nothing is deleted if the page is closed before.
 */
export function deleteLater(ids: readonly string[], message: string, run: () => Promise<unknown>) {
  const show = () => setWaiting(new Set([...waiting].filter((id) => !ids.includes(id))))
  const finish = () => run().finally(show)
  const showFailure = (error: unknown) =>
    notifications.show({ title: t.lists.deleteFailed, message: problemText(error), color: 'danger' })
  setWaiting(new Set([...waiting, ...ids]))
  const toast = showUndoToast({
    message,
    onUndo: () => {
      deletions.delete(toast)
      show()
    },
    onClose: () => void (deletions.delete(toast) && finish().catch(showFailure)),
  })
  deletions.set(toast, finish)
}

/** Deletes at once what waits. */
async function finishDeletions(): Promise<string | undefined> {
  const waitingNow = [...deletions]
  deletions.clear()
  const outcomes = await Promise.allSettled(
    waitingNow.map(([toast, finish]) => {
      notifications.hide(toast)
      return finish()
    }),
  )
  return outcomes.some(({ status }) => status === 'rejected') ? t.lists.deleteBeforeSignOutFailed : undefined
}

beforeSignOut.add(finishDeletions)
signedOut.on(() => {
  deletions.clear()
  setWaiting(new Set())
})
