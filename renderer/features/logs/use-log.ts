import { useCallback, useEffect, useRef, useState } from 'react'
import type { z } from 'zod'
import { deviceFileSystem } from '../../../shared/api/device-file-system.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import type { GetLogFilesResponseDto } from '../../../shared/dtos/file-system.ts'
import { openBody } from '../../api/http.ts'
import { deviceQueries } from '../../api/device-queries.ts'
import { firstNewLine, readLog, type LogText } from './log-lines.ts'
import { queryClient } from '../../api/query-client.ts'

type LogDevice = Pick<DeviceResponseDto, 'id' | 'tenantId'>
export type LogFile = z.output<typeof GetLogFilesResponseDto>['logFileGroups'][number]['logFiles'][number]

export function logAddress({ id, tenantId }: LogDevice, filePath: string) {
  const { path } = deviceFileSystem.routes.logContents
  return `${path.replace(':deviceId', id)}?${new URLSearchParams({ tenantId, filePath })}`
}

const soonestMs = 2_000
const latestMs = 30_000
/** Maximum share of time spent polling a followed log. */
const shareOfReading = 0.1
const progressMs = 200

export interface LogState {
  log?: LogText
  /** First line added by the last reading. */
  newFrom?: number
  /** Whether the file was replaced while it was followed. */
  isReplaced?: boolean
  isReading: boolean
  /** Received bytes of the first reading. */
  progress: number
  error?: unknown
}

/** Text of a log file; while followed, reloaded whenever the device reports a change. */
export function useLog(
  { id: deviceId, tenantId }: LogDevice,
  file: LogFile,
  isFollowing: boolean,
): LogState & { retry: () => void } {
  const [state, setState] = useState<LogState>({ isReading: true, progress: 0 })
  const { fullPath } = file
  const known = useRef<LogText>(undefined)
  /** Size and time of the file when it was read. */
  const seen = useRef('')

  const read = useCallback(
    async (signal: AbortSignal) => {
      setState((before) => ({ ...before, isReading: true }))
      try {
        const body = await openBody(logAddress({ id: deviceId, tenantId }, fullPath), signal)
        let reportedAt = 0
        const log = await readLog(body, (progress) => {
          if (Date.now() - reportedAt > progressMs) {
            reportedAt = Date.now()
            setState((before) => ({ ...before, progress }))
          }
        })
        const before = known.current
        const newFrom = before && firstNewLine(before, log)
        known.current = log
        setState({
          log,
          newFrom: newFrom === log.lines.length ? undefined : newFrom,
          isReplaced: newFrom === 0 && before !== undefined && before.lines.length > 0,
          isReading: false,
          progress: log.bytes,
        })
      } catch (error) {
        if (!signal.aborted) {
          setState((before) => ({ ...before, isReading: false, error }))
        }
      }
    },
    [deviceId, tenantId, fullPath],
  )

  useEffect(() => {
    const stop = new AbortController()
    known.current = undefined
    seen.current = ''
    setState({ isReading: true, progress: 0 })
    void read(stop.signal)
    return () => stop.abort()
  }, [read])

  useEffect(() => {
    if (!isFollowing) {
      return
    }
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      const startedAt = Date.now()
      let failed = false
      try {
        const groups = await queryClient.fetchQuery({ ...deviceQueries.logFiles(deviceId), staleTime: 0 })
        const now = groups.flatMap(({ logFiles }) => logFiles).find((each) => each.fullPath === fullPath)
        const stamp = now ? `${now.size} ${now.lastModified}` : ''
        if (stamp !== '' && stamp !== seen.current && !stop.signal.aborted) {
          await read(stop.signal)
          seen.current = stamp
        }
      } catch {
        failed = true
      }
      if (!stop.signal.aborted) {
        const tookMs = Date.now() - startedAt
        const delayMs = failed ? latestMs : Math.min(latestMs, Math.max(soonestMs, tookMs / shareOfReading))
        timer = setTimeout(() => void look(), delayMs)
      }
    }
    void look()
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [deviceId, fullPath, isFollowing, read])

  const retry = () => void read(new AbortController().signal)
  return { ...state, retry }
}
