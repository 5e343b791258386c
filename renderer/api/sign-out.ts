import { createEvent } from './create-event.ts'

/** The person of this window has signed out: what the window keeps for that person is cleared. */
export const signedOut = createEvent<void>()

/** Work that must be done in the name of the person of this window: it is finished before the sign-out. */
export const beforeSignOut = new Set<() => Promise<unknown>>()
