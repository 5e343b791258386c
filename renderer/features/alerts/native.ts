import type { QueryClient } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'

/** Age up to which the choices of the person are not asked again, in ms: they change in other tabs, too. */
const choicesAgeMs = 10_000

interface NativeNotification {
  title: string
  body: string
  /** Several tabs show one notification per tag. */
  tag: string
  onClick: () => void
}

/**
 * Shows notifications of the system, if the person switched them on, this browser allows them, no quiet hours are on,
 * and the person looks elsewhere: a page that is looked at shows toasts.
 */
export async function notifyNatively(client: QueryClient, wanted: readonly NativeNotification[]): Promise<void> {
  if (!('Notification' in window) || Notification.permission !== 'granted' || document.hasFocus()) {
    return
  }
  const { isNativeOn, quietUntil } = await client.fetchQuery({ ...queries.notifications, staleTime: choicesAgeMs })
  if (!isNativeOn || quietUntil !== null) {
    return
  }
  for (const { title, body, tag, onClick } of wanted) {
    const notification = new Notification(title, { body, tag })
    notification.addEventListener('click', () => {
      window.focus()
      notification.close()
      onClick()
    })
  }
}
