import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { onDeviceUpdate } from './hubs.ts'

/**
 * Queries the server for devices. A live update received while the request runs is at least as new as the answer: `put`
 * merges these updates, since otherwise the older answer would overwrite them.
 */
export async function withLiveUpdates<Answer>(
  ask: () => Promise<Answer>,
  put: (answer: Answer, updates: ReadonlyMap<string, DeviceResponseDto>) => Answer,
): Promise<Answer> {
  const updates = new Map<string, DeviceResponseDto>()
  const stop = onDeviceUpdate((device) => void updates.set(device.id, device))
  try {
    return put(await ask(), updates)
  } finally {
    stop()
  }
}
