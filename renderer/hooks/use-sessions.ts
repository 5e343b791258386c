import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { RemoteSessionDto } from '../../shared/dtos/remote-session.ts'
import { remoteSessionQueries } from '../api/remote-session-queries.ts'

/** Session with its bytes per second in both directions; undefined after the first reading. */
export interface LiveSession extends RemoteSessionDto {
  bytesPerSecond: number | undefined
}

interface Reading {
  sessions: readonly RemoteSessionDto[]
  readAt: number
}

const bytesOf = ({ bytesToDevice, bytesFromDevice }: RemoteSessionDto) => bytesToDevice + bytesFromDevice

function withRates(now: Reading, before: Reading | undefined): LiveSession[] {
  const earlier = new Map(before?.sessions.map((session) => [session.id, session]))
  const seconds = before ? (now.readAt - before.readAt) / 1_000 : 0
  return now.sessions.map((session) => {
    const then = earlier.get(session.id)
    const bytesPerSecond = then && seconds > 0 ? Math.max(0, bytesOf(session) - bytesOf(then)) / seconds : undefined
    return { ...session, bytesPerSecond }
  })
}

/** Running sessions that the user may see, oldest first; polled every 2 s while mounted. */
export function useSessions() {
  const query = useQuery(remoteSessionQueries.sessions)
  const latest = useRef<{ reading: Reading; sessions: LiveSession[] }>(undefined)
  const { data } = query
  if (data && data !== latest.current?.reading) {
    latest.current = { reading: data, sessions: withRates(data, latest.current?.reading) }
  }
  return { ...query, sessions: latest.current?.sessions }
}
