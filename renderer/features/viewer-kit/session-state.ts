/** Who or what ended a session. */
export type EndCause =
  | 'viewer'
  /** The device, the person there, or the program that the session shows. */
  | 'device'
  /** This server: a missing right, an administrator. */
  | 'server'
  /** The session could not be opened, or not be reopened. */
  | 'failure'

/** Phases of every session: control, VNC and terminal. */
export type SessionState<Question = never> =
  /** `idle`: nothing was requested, or the device is offline. */
  | { phase: 'idle' | 'connecting' | 'open' }
  /** Waits for an answer, of the person at the device or of this one. */
  | { phase: 'asking'; question: Question }
  /** Reconnects by itself as soon as server and device can be reached. */
  | { phase: 'lost'; since: number }
  /** Stays so until a person reconnects. */
  | { phase: 'ended'; cause: EndCause; reason: string }
