import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deviceQueries } from '../../api/device-queries.ts'
import { homeQueries } from '../../api/home-queries.ts'
import { remoteSessionQueries } from '../../api/remote-session-queries.ts'
import { sessionQueries } from '../../api/session-queries.ts'
import { useRecentDevices } from '../../components/recent-devices.ts'
import { useNewestAlerts } from '../../features/alerts/use-alerts.ts'
import { useSession } from '../../hooks/use-session.ts'

/** Changes by others since the person dismissed them last. */
export function useChanges() {
  const read = useQuery(homeQueries.readChanges)
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

/** Whether a state was reached once. */
function useReached(isNow: boolean) {
  const [isReached, setIsReached] = useState(isNow)
  if (isNow && !isReached) {
    setIsReached(true)
  }
  return isReached
}

/**
 * Queries of the start page. The findings at its top are shown from when each was read once, and all below them with
 * the last: a section that arrives late would push down the one that the person is about to click.
 */
export function useHome() {
  const { can } = useSession()
  const fleet = useQuery(homeQueries.fleet)
  const server = useQuery({ ...homeQueries.server, enabled: can('server.telemetry.read') })
  const signIns = useQuery({ ...homeQueries.signIns, enabled: can('appliance.audit.read') })
  // Decides whether the alerts are read.
  const guest = useQuery(sessionQueries.guest)
  const newest = useNewestAlerts()
  const sessions = useQuery(remoteSessionQueries.sessions)
  const changes = useChanges()
  const recent = useRecent()
  const areFindingsReady = useReached(
    ![fleet, server, signIns, guest, newest].some(({ isEnabled, isPending }) => isEnabled && isPending),
  )
  const isReady = useReached(areFindingsReady && !sessions.isPending && !changes.isPending && !recent.isPending)
  return { fleet, server, signIns, newest, areFindingsReady, isReady }
}
