import { useSyncExternalStore } from 'react'
import { createEvent } from '../../api/create-event.ts'
import type { Entry } from '../../api/files.ts'
import { signedOut } from '../../api/sign-out.ts'

/** Entries that were cut or copied, to be pasted into another folder of the same device. */
export interface ClipboardEntries {
  deviceId: string
  isCut: boolean
  entries: readonly Entry[]
}

const changes = createEvent<void>()
let held: ClipboardEntries | undefined

export function setFileClipboard(entries: ClipboardEntries | undefined): void {
  held = entries
  changes.emit()
}

// Entries that one person cut are not for the next person in this window.
signedOut.on(() => setFileClipboard(undefined))

/** Cut or copied entries of this window. */
export const fileClipboard = (): ClipboardEntries | undefined => held

/** Cut or copied entries of a device. */
export function useFileClipboard(deviceId: string): ClipboardEntries | undefined {
  const now = useSyncExternalStore(changes.on, fileClipboard)
  return now?.deviceId === deviceId ? now : undefined
}
