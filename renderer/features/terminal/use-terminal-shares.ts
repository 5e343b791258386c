import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { TerminalShareDto } from '../../../shared/api/appliance-terminal-shares.ts'
import { api } from '../../api/http.ts'
import { onTerminalOutput } from '../../api/hubs.ts'
import { deviceQueries } from '../../api/device-queries.ts'
import { invalidate } from '../../api/query-client.ts'

/** Links of an own terminal, and what its owner can do with them. */
export interface TerminalSharing {
  shares: readonly TerminalShareDto[]
  letType: (share: TerminalShareDto, canType: boolean) => Promise<void>
  end: (share: TerminalShareDto) => Promise<void>
  reload: () => Promise<void>
}

/** Follows the links of a terminal; undefined without a terminal that can be shared. */
export function useTerminalShares(deviceId: string, terminalId: string | undefined): TerminalSharing | undefined {
  const options = deviceQueries.terminalShares(deviceId, terminalId ?? '')
  const { data } = useQuery({ ...options, enabled: terminalId !== undefined })
  useEffect(
    () =>
      onTerminalOutput((output) => {
        if (output.isSharingChanged && output.terminalId === terminalId) {
          void invalidate(['terminal-shares', deviceId, terminalId])
        }
      }),
    [deviceId, terminalId],
  )
  if (terminalId === undefined) {
    return undefined
  }
  const reload = () => invalidate(options.queryKey)
  return {
    shares: data ?? [],
    async letType({ id: shareId }, canType) {
      await api.terminalShares.change({ params: { deviceId, terminalId, shareId }, body: { canType } })
      await reload()
    },
    async end({ id: shareId }) {
      await api.shares.end({ params: { shareId } })
      await reload()
    },
    reload,
  }
}
