/** Cause of the end of a session. */
export type EndCause =
  | 'viewer'
  /** The device, the person there, or the program that the session shows. */
  | 'device'
  /** This server: a missing permission, or an administrator. */
  | 'server'
  /** The session could not be opened or reopened. */
  | 'failure'

/** Phases of every session: control, VNC and terminal. */
export type SessionState<Question = never> =
  /** `idle`: nothing was requested, or the device is offline. */
  | { phase: 'idle' | 'connecting' | 'open' }
  /** Waits for an answer of the person at the device, or of the user. */
  | { phase: 'asking'; question: Question }
  /** Reconnects as soon as server and device can be reached. */
  | { phase: 'lost'; since: number }
  /** Stays ended until the user reconnects. */
  | { phase: 'ended'; cause: EndCause; reason: string }
