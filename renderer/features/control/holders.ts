import type { Payload } from '../../../shared/remote-control/messages.ts'
import { mostLetters } from './stage-messages.ts'

/** Viewer of a desktop that shares control with the others. */
export type SharingViewer = Payload<'ControlHolders'>['viewers'][number]

const mostViewers = 64

/** Viewers as far as the page shows them; the list of a device is untrusted. */
export const shownViewers = ({ viewers }: Payload<'ControlHolders'>): SharingViewer[] =>
  viewers.slice(0, mostViewers).map((each) => ({ ...each, name: each.name.slice(0, mostLetters) }))

/** Whether this page's input takes effect: control that nobody holds goes to whoever acts first. */
export const canAct = (viewers: readonly SharingViewer[]): boolean =>
  viewers.every(({ holds }) => !holds) || viewers.every(({ isYou, holds }) => !isYou || holds)
