import { createEvent } from './create-event.ts'
import { liveState, onLiveState, onRightsChange, viewer } from './hubs.ts'
import { chunksOf } from '../../shared/chunks.ts'

const maxIdsPerCall = 100
const settleMs = 150

/** Number of watchers per device. */
const wanted = new Map<string, number>()
const subscribed = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined
/** True until every wanted device is subscribed on the current connection. */
let isCatchingUp = true

const caughtUp = createEvent<void>()

/** Called when all subscriptions are restored on a new connection: updates may have been missed in between. */
export const onCaughtUp = caughtUp.on

async function settle() {
  timer = undefined
  if (liveState().state !== 'live') {
    return
  }
  const added = [...wanted.keys()].filter((id) => !subscribed.has(id))
  const removed = [...subscribed].filter((id) => !wanted.has(id))
  added.forEach((id) => subscribed.add(id))
  removed.forEach((id) => subscribed.delete(id))
  for (const deviceIds of chunksOf(added, maxIdsPerCall)) {
    const { skippedDeviceIds = [] } = await viewer.SubscribeToDeviceHeartbeats2({ deviceIds })
    skippedDeviceIds.forEach((id) => subscribed.delete(id))
  }
  for (const deviceIds of chunksOf(removed, maxIdsPerCall)) {
    await viewer.UnsubscribeFromDeviceHeartbeats2({ deviceIds })
  }
  if (isCatchingUp) {
    isCatchingUp = false
    caughtUp.emit()
  }
}

// A failed call means a lost channel; the next connection subscribes everything again.
const schedule = () => void (timer ??= setTimeout(() => void settle().catch(() => {}), settleMs))

onLiveState(({ state }) => {
  subscribed.clear()
  isCatchingUp = true
  if (state === 'live') {
    schedule()
  }
})

// Devices that were skipped may be readable now.
onRightsChange(schedule)

/** Subscribes to live updates of devices. Returns a function that unsubscribes. */
export function watchDevices(ids: readonly string[]) {
  ids.forEach((id) => wanted.set(id, (wanted.get(id) ?? 0) + 1))
  schedule()
  return () => {
    for (const id of ids) {
      const left = (wanted.get(id) ?? 1) - 1
      if (left > 0) {
        wanted.set(id, left)
      } else {
        wanted.delete(id)
      }
    }
    schedule()
  }
}
