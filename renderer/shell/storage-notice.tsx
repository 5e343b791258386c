import { useQuery } from '@tanstack/react-query'
import { serverQueries } from '../api/server-queries.ts'
import { ServerNoticeLine } from '../components/server-notice-line.tsx'
import * as t from '../texts.ts'

const severities = { low: 1, damaged: 2 } as const

/** Line on every page while the server cannot store what is sent to it. */
export function StorageNotice() {
  const { data } = useQuery(serverQueries.status)
  if (!data || data.storage === 'ok') {
    return null
  }
  return (
    <section role="status" aria-label={t.storageNotice.title} style={{ flex: 'none' }}>
      <ServerNoticeLine message={t.storageNotice[data.storage]} severity={severities[data.storage]} />
    </section>
  )
}
