/** What the systems tell, and do, that the package for screen and input knows nothing of. */
export interface NativeSystem {
  /** Why the desktop cannot be shown at all now; undefined where it can. */
  problem(): string | undefined
  /** What hides the screen for the moment; undefined where nothing does. */
  hiddenBy(): string | undefined
  /** Missing where the system has no such thing. Returns the state now in force. */
  blockInput?(isBlocked: boolean): boolean
}

export const plainSystem: NativeSystem = { problem: () => undefined, hiddenBy: () => undefined }

const systems: Partial<Record<NodeJS.Platform, () => Promise<NativeSystem>>> = {
  win32: async () => (await import('./windows-system.ts')).windowsSystem(),
  darwin: async () => (await import('./mac-system.ts')).macSystem(),
}

/** Of the system that this process runs on. */
export const nativeSystem = async (): Promise<NativeSystem> => (await systems[process.platform]?.()) ?? plainSystem
