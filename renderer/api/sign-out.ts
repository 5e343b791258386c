import { createEvent } from './create-event.ts'

/** The person of this window has signed out: what the window keeps for that person is cleared. */
export const signedOut = createEvent<void>()

/**
 * Work that must be done in the name of the person of this window: it is finished before the sign-out. Resolves with a
 * sentence if it failed, which may name nothing: whoever signs in next reads it, too.
 */
export const beforeSignOut = new Set<() => Promise<string | undefined>>()
