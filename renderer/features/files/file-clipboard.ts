import { useSyncExternalStore } from 'react'
import { createEvent } from '../../api/event.ts'
import type { Entry } from '../../api/files.ts'
import { personLeft } from '../../api/person-left.ts'

/** Entries that were cut or copied, to be pasted into another folder of the same device. */
export interface HeldEntries {
  deviceId: string
  isCut: boolean
  entries: readonly Entry[]
}

const changes = createEvent<void>()
let held: HeldEntries | undefined

export function holdEntries(entries: HeldEntries | undefined): void {
  held = entries
  changes.emit()
}

// Entries that one person cut are not for the next person in this window.
personLeft.on(() => holdEntries(undefined))

/** Cut or copied entries of this window. */
export const heldEntries = (): HeldEntries | undefined => held

/** Cut or copied entries of a device. */
export function useHeldEntries(deviceId: string): HeldEntries | undefined {
  const now = useSyncExternalStore(changes.on, heldEntries)
  return now?.deviceId === deviceId ? now : undefined
}
