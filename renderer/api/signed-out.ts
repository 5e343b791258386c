import { createEvent } from './create-event.ts'

/** The person of this window has signed out: what the window keeps for that person is cleared. */
export const signedOut = createEvent<void>()
