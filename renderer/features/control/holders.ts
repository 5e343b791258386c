import type { Payload } from '../../../shared/remote-control/messages.ts'

/** Viewer of a desktop that shares control with the others. */
export type SharingViewer = Payload<'ControlHolders'>['viewers'][number]

/** Limit for viewers that a device lists. */
export const mostViewers = 64

/** Whether this page's input takes effect: control that nobody holds goes to whoever acts first. */
export const canAct = (viewers: readonly SharingViewer[]): boolean =>
  viewers.every(({ holds }) => !holds) || viewers.every(({ isYou, holds }) => !isYou || holds)
