import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createContext, useMemo } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { deviceQueries } from '../../api/device-queries.ts'

/** Ids of outdated devices on screen whose agents this server can update. */
export const UpdatableContext = createContext<ReadonlySet<string>>(new Set())

export function useUpdatable(onScreen: readonly DeviceResponseDto[]): ReadonlySet<string> {
  const outdated = onScreen.filter(({ isOutdated }) => isOutdated).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const options = deviceQueries.agents(outdated)
  const { data } = useQuery({ ...options, enabled: outdated.length > 0, placeholderData: keepPreviousData })
  return useMemo(
    () => new Set([...(data?.values() ?? [])].flatMap((agent) => (agent.isUpdatable ? agent.deviceId : []))),
    [data],
  )
}
