import { deviceChanges } from '../../shared/dtos/event.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { EventLog } from './event-log.ts'

const isSame = (a: unknown, b: unknown) =>
  a === b ||
  (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => item === b[index]))

/**
 * Notes what became of a device. Called for each heartbeat: most change none of these members. `isAwaited` says whether
 * somebody wants to know when the device is back.
 */
export function noteDevice(events: EventLog, before: DeviceState, after: DeviceState, isAwaited: () => boolean): void {
  const isOnline = after.connectionId !== ''
  if (isOnline !== (before.connectionId !== '')) {
    events.noteOnline(after, isOnline, isAwaited())
  }
  if (deviceChanges.some((member) => !isSame(before[member], after[member]))) {
    events.noteChange(
      after,
      deviceChanges.filter((member) => !isSame(before[member], after[member])),
    )
  }
}
