import { useQuery } from '@tanstack/react-query'
import { serverQueries } from '../api/server-queries.ts'
import { ServerNoticeLine } from '../components/server-notice-line.tsx'
import * as t from '../texts.ts'

const danger = 2

/** Warns everybody on every page while the server removes its agents. */
export function DecommissionLine() {
  const { data } = useQuery(serverQueries.decommission)
  return data?.isEnabled ? (
    <section role="status" aria-label={t.decommission.title} style={{ flex: 'none' }}>
      <ServerNoticeLine message={t.decommission.banner} severity={danger} />
    </section>
  ) : null
}
