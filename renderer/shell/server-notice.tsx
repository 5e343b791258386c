import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../api/queries.ts'
import { ServerNoticeLine } from '../components/server-notice-line.tsx'
import { en as t } from '../strings/en.ts'
import { usePreference } from '../styles/preferences.ts'

/** The notice of the administrators, on every page. A dismissed one stays away until its text changes, or for this visit. */
export function ServerNotice() {
  const { data: alert } = useQuery(queries.serverAlert)
  const [kept, setKept] = usePreference('dismissed-notice', '')
  const [dismissed, setDismissed] = useState('')
  const text = alert && `${alert.severity} ${alert.message}`
  if (!alert?.isEnabled || alert.message === '') {
    return null
  }
  if (alert.isDismissable && (dismissed === text || (!alert.isSticky && kept === text))) {
    return null
  }
  const handleDismiss = () => {
    setDismissed(text ?? '')
    if (!alert.isSticky) {
      setKept(text ?? '')
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
