import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/http.ts'
import { dismissedNoticeKey, serverQueries } from '../api/server-queries.ts'
import { invalidate } from '../api/query-client.ts'
import { ServerNoticeLine } from '../components/server-notice-line.tsx'
import * as t from '../texts.ts'

/** Remembers the dismissed text for this person, in every browser; undefined forgets it. */
function useDismissal() {
  return useMutation({
    mutationFn: (text: string | undefined): Promise<unknown> =>
      text === undefined
        ? api.userStorage.delete({ params: { key: dismissedNoticeKey } })
        : api.userStorage.set({ body: { key: dismissedNoticeKey, value: text } }),
    onSettled: () => invalidate(serverQueries.dismissedNotice.queryKey),
  })
}

/** The notice of the administrators, on every page. A dismissed one stays away until its text changes; a sticky one for this visit. */
export function ServerNotice() {
  const { data: alert } = useQuery(serverQueries.serverAlert)
  const isShown = alert?.isEnabled === true && alert.message !== ''
  const kept = useQuery({ ...serverQueries.dismissedNotice, enabled: isShown && alert.isDismissable })
  const dismissal = useDismissal()
  const [dismissed, setDismissed] = useState('')
  if (!isShown) {
    return null
  }
  const text = `${alert.severity} ${alert.message}`
  const isKept = !alert.isSticky && kept.data === text
  if (alert.isDismissable && (dismissed === text || isKept || kept.isLoading)) {
    return null
  }
  const handleDismiss = () => {
    setDismissed(text)
    if (!alert.isSticky) {
      dismissal.mutate(text)
    } else if (kept.data != null) {
      dismissal.mutate(undefined)
    }
    document.getElementById('page')?.focus()
  }
  return (
    <section aria-label={t.serverNotice.title} style={{ flex: 'none' }}>
      <ServerNoticeLine
        message={alert.message}
        severity={alert.severity}
        {...(alert.isDismissable && { onDismiss: handleDismiss })}
      />
    </section>
  )
}
