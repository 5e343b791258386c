import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { onDeviceUpdate } from './hubs.ts'

/**
 * Asks the server for devices. What the live channel tells of one while the answer is on its way is at least as new as the
 * answer: `put` puts it in its place, or the answer would take it back until the next one.
 */
export async function withHeard<Answer>(
  ask: () => Promise<Answer>,
  put: (answer: Answer, heard: ReadonlyMap<string, DeviceResponseDto>) => Answer,
): Promise<Answer> {
  const heard = new Map<string, DeviceResponseDto>()
  const stop = onDeviceUpdate((device) => void heard.set(device.id, device))
  try {
    return put(await ask(), heard)
  } finally {
    stop()
  }
}
