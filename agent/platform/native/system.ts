import type { Tools } from './tools.ts'

/** System functions that the package for screen and input lacks. */
export interface NativeSystem {
  captureMode: string
  /** Units of one wheel notch. */
  unitsPerNotch: number
  tools: Tools
  /** Reason why the desktop cannot be shown at all at present; undefined otherwise. */
  problem(): string | undefined
  /** Reason why the screen is hidden at present; undefined otherwise. */
  hiddenBy(): string | undefined
}
