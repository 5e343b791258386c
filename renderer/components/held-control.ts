import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { createEvent } from '../api/create-event.ts'

/** Viewer of a desktop, as its device names it. */
interface Viewer {
  id: number
  name: string
  isYou: boolean
  holds: boolean
}

/** Control of a device that a session of this window holds. */
interface HeldControl {
  deviceId: string
  others: readonly Viewer[]
  giveTo: (viewerId: number) => void
}

let held: readonly HeldControl[] = []
const changes = createEvent<void>()

const set = (next: readonly HeldControl[]) => {
  held = next
  changes.emit()
}

/** Offers control of a session to the other viewers, also on other pages, while the session holds control. */
export function useHeldControl(deviceId: string, viewers: readonly Viewer[], give: (viewerId: number) => void): void {
  const giveTo = useEffectEvent(give)
  useEffect(() => {
    if (viewers.some(({ isYou, holds }) => isYou && holds)) {
      const others = viewers.filter(({ isYou, holds }) => !isYou && !holds)
      const control: HeldControl = { deviceId, others, giveTo: (viewerId) => giveTo(viewerId) }
      set([...held, control])
      return () => set(held.filter((each) => each !== control))
    }
  }, [deviceId, viewers])
}

/**
 * Returns a function that returns how to hand control of a device to a viewer by name; undefined if no session of this
 * window can, or two viewers have the name.
 */
export function useHandOver() {
  const controls = useSyncExternalStore(changes.on, () => held)
  return (deviceId: string, name: string): (() => void) | undefined => {
    for (const control of controls.filter((each) => each.deviceId === deviceId)) {
      const [viewer, other] = control.others.filter((each) => each.name === name)
      if (viewer && !other) {
        return () => control.giveTo(viewer.id)
      }
    }
    return undefined
  }
}
