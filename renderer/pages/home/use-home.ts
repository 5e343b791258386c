import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deviceQueries } from '../../api/device-queries.ts'
import { homeQueries } from '../../api/home-queries.ts'
import { queries } from '../../api/queries.ts'
import { useRecentDevices } from '../../components/recent-devices.ts'
import { useNewestAlerts } from '../../features/alerts/use-alerts.ts'
import { useSession } from '../../hooks/use-session.ts'

/** Changes by others since the person dismissed them last. */
export function useChanges() {
  const { tenantId } = useSession().user
  const read = useQuery(homeQueries.readChanges(tenantId))
  const changes = useQuery({ ...homeQueries.changes(read.data ?? undefined), enabled: !read.isPending })
  return { changes, isPending: read.isPending || changes.isPending }
}

/** Devices that the person opened last in this browser; those that are gone are left out. */
export function useRecent() {
  const [ids] = useRecentDevices()
  const answers = useQueries({ queries: ids.map((id) => deviceQueries.device(id)) })
  return {
    devices: answers.flatMap(({ data, isError }) => (data && !isError ? [data] : [])),
    isPending: answers.some(({ isPending }) => isPending),
  }
}

/**
 * Queries of the start page. `isReady` from when each has answered once: a section that arrives late would push down
 * the one that the person is about to click.
 */
export function useHome() {
  const { can } = useSession()
  const [isReady, setIsReady] = useState(false)
  const fleet = useQuery(homeQueries.fleet)
  const server = useQuery({ ...homeQueries.server, enabled: can('server.telemetry.read') })
  const signIns = useQuery({ ...homeQueries.signIns, enabled: can('appliance.audit.read') })
  // Decides whether the alerts are read.
  const guest = useQuery(queries.guest)
  const newest = useNewestAlerts()
  const sessions = useQuery(queries.sessions)
  const changes = useChanges()
  const recent = useRecent()
  const isWaiting =
    [fleet, server, signIns, guest, newest, sessions].some(({ isEnabled, isPending }) => isEnabled && isPending) ||
    changes.isPending ||
    recent.isPending
  if (!isWaiting && !isReady) {
    setIsReady(true)
  }
  return { fleet, server, signIns, newest, isReady }
}
