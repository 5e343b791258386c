/** What the systems tell, and do, that the package for screen and input knows nothing of. */
export interface NativeSystem {
  /** Why the desktop cannot be shown at all now; undefined where it can. */
  problem(): string | undefined
  /** What hides the screen for the moment; undefined where nothing does. */
  hiddenBy(): string | undefined
  /** Missing where the system has no such thing. Returns the state now in force. */
  blockInput?(isBlocked: boolean): boolean
}

/** Of a system that hides and blocks nothing. */
export const plainSystem: NativeSystem = { problem: () => undefined, hiddenBy: () => undefined }
