import type { KeyboardInputMode, MouseButton, PointerCursor } from '../../shared/remote-control/values.ts'

/** What remote control needs of the system whose screen it shows: one implementation for each kind of system. */

/** In whole pixels. */
export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

export interface Display {
  /** Stays the same for as long as the display is there. */
  id: string
  name: string
  isPrimary: boolean
  /** Where it lies on the desktop. */
  bounds: Rectangle
}

/** A display as it was read last. The pixels are overwritten by the next `capture` of its screen. */
export interface Picture {
  width: number
  height: number
  /** Blue, green, red, and a fourth byte that means nothing; row after row. */
  pixels: Buffer
  /** Bytes from one row to the next. */
  stride: number
}

export interface Capture {
  picture: Picture
  /** What may differ from the last capture, inside of the picture; empty when nothing was drawn. */
  areas: readonly Rectangle[]
}

/** The picture of one display, kept up to date on demand. */
export interface Screen {
  /** Called when something was drawn, at most once between two captures. */
  onChange: () => void
  /** Reads what was drawn since the last capture; `isWhole` reads everything. Rejects when the display is gone. */
  capture(isWhole: boolean): Promise<Capture>
  close(): void
}

export interface Cursor {
  shape: PointerCursor
  /** As it is drawn there; always of `Custom` cursors. */
  image?: { width: number; height: number; hotspotX: number; hotspotY: number; rgba: Buffer }
}

export interface KeyPress {
  /** As `KeyboardEvent.key` of browsers. */
  key: string
  /** As `KeyboardEvent.code`; empty where it is unknown. */
  code: string
  isPressed: boolean
  mode: KeyboardInputMode
  modifiers: { control: boolean; shift: boolean; alt: boolean; meta: boolean }
}

/** Pointer and keyboard. Calls take effect in their order. */
export interface Input {
  /** In pixels of the desktop. */
  movePointer(x: number, y: number): void
  setButton(button: MouseButton, isPressed: boolean): void
  /** In pixels as browsers count them: positive is up and left. */
  scroll(x: number, y: number): void
  setKey(press: KeyPress): void
  /** Types any text, whatever the layout of the keyboard. */
  typeText(text: string): Promise<void>
  /** Lets go of every key and button that is held down. */
  releaseAll(): void
}

export interface Clipboard {
  /** Called when another program has put something there. */
  onChange: () => void
  /** Null when there is no text. */
  readText(): Promise<string | null>
  writeText(text: string): Promise<void>
}

/** A line on the screen that says who is watching, until it is closed. */
export interface Notice {
  close(): void
}

/** One desktop with all its displays. */
export interface Desktop {
  /** How the pixels are read, for people. */
  captureMode: string
  displays(): readonly Display[]
  onDisplaysChanged: () => void
  openScreen(display: Display): Promise<Screen>
  input: Input
  clipboard: Clipboard
  cursor(): Cursor
  /** Where the pointer is, in pixels of the desktop. */
  pointer(): Promise<{ x: number; y: number }>
  onCursorChanged: () => void
  /** Shows a short text to the person at the device; `onEnd` is called when that person presses `label`. */
  showNotice(text: string, label: string, onEnd: () => void): Notice
  /** Keeps the person's own pointer and keyboard from acting; missing where the system cannot. Resolves with the state now in force. */
  blockInput?(isBlocked: boolean): Promise<boolean>
  /** Called once when the desktop is gone: somebody signed out, the display server ended. */
  onEnd: (reason: string) => void
  close(): void
}
