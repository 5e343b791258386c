import type { QueryClient } from '@tanstack/react-query'
import { alertQueries } from './alert-queries.ts'
import { onCaughtUp } from './heartbeats.ts'
import { onAlertsChange } from './hubs.ts'

/** Reloads alerts when they have changed, or may have changed while the connection was lost. */
export function followAlerts(client: QueryClient): () => void {
  const reload = () => void client.invalidateQueries({ queryKey: alertQueries.all })
  const stops = [onAlertsChange(reload), onCaughtUp(reload)]
  return () => stops.forEach((stop) => stop())
}
