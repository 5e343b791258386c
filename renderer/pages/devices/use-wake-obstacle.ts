import { useQuery } from '@tanstack/react-query'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { deviceQueries } from '../../api/device-queries.ts'
import * as t from '../../texts.ts'

/** Reason why a device cannot be woken now, without a full stop; undefined when a magic packet can be sent. */
export function useWakeObstacle(device: DeviceResponseDto | undefined, mayWake: boolean): string | undefined {
  const isAsked = device !== undefined && !device.isOnline && mayWake
  const { data: absence } = useQuery({
    ...deviceQueries.absence(device?.id ?? '', device?.lastSeen ?? ''),
    enabled: isAsked,
  })
  if (!device || device.isOnline) {
    return t.visit.alreadyOnline
  }
  if (!mayWake) {
    return t.visit.mayNotWake
  }
  if (device.macAddresses.length === 0) {
    return t.visit.noMac
  }
  if (!absence) {
    return t.visit.findingNeighbour
  }
  return absence.neighbours.length + absence.otherNeighbours === 0 ? t.visit.noNeighbour : undefined
}
