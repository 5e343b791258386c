import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { RemoteSessionDto } from '../../shared/dtos/remote-session.ts'
import { queries } from '../api/queries.ts'

/** A session with its bytes per second of both ways together; undefined until it was read twice. */
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

/** What goes on now and the person may see, oldest first; read again every 2 s while somebody looks. */
export function useSessions() {
  const query = useQuery(queries.sessions)
  const latest = useRef<{ reading: Reading; sessions: LiveSession[] }>(undefined)
  const { data } = query
  if (data && data !== latest.current?.reading) {
    latest.current = { reading: data, sessions: withRates(data, latest.current?.reading) }
  }
  return { ...query, sessions: latest.current?.sessions }
}
