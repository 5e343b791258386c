import type { KeyboardInputMode, MouseButton, PointerCursor } from '../../../shared/remote-control/values.ts'

/** Interface between remote control and the system whose screen is shown: one implementation per kind of system. */

/** Rectangle in whole pixels. */
export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

export interface Display {
  /** Stable as long as the display exists. */
  id: string
  name: string
  isPrimary: boolean
  /** Position and size on the desktop. */
  bounds: Rectangle
}

/** Last captured picture of a display. The next `capture` of the same screen overwrites the pixels. */
export interface Picture {
  width: number
  height: number
  /** Rows of blue, green, red and one unused byte. */
  pixels: Buffer
  /** Bytes from the start of one row to the start of the next. */
  stride: number
}

export interface Capture {
  picture: Picture
  /** Areas that may differ from the last capture, within the picture; empty without drawing. */
  areas: readonly Rectangle[]
}

/** Picture of one display, captured on demand. */
export interface Screen {
  /** Called when something was drawn, at most once between two captures. */
  onChange: () => void
  /**
   * Reads the areas drawn since the last capture; `isWhole` reads the whole display. Rejects when the display is
   * closed.
   */
  capture(isWhole: boolean): Promise<Capture>
  close(): void
}

export interface VideoOptions {
  /** Whether the packet can be decoded without those before. */
  isKey: boolean
  /** Milliseconds since the packet before. */
  sinceMs: number
  /** Aim for the rate of packets. */
  kbitPerSecond: number
}

/** Encodes parts of pictures of one size as VP8, on another thread. */
export interface VideoEncoder {
  /**
   * Encodes the areas, whose positions are even; the rest of the decoded picture means nothing. Reads the pixels before
   * it returns. Calls must not overlap. Rejects if the system's encoder fails.
   */
  encode(picture: Picture, areas: readonly Rectangle[], options: VideoOptions): Promise<Buffer>
  /** Call when no call of `encode` is pending. */
  close(): void
}

/** Opens an encoder for pictures of a size; undefined where the system has none. */
export type OpenVideo = (size: { width: number; height: number }) => VideoEncoder | undefined

export interface Cursor {
  shape: PointerCursor
  /** Cursor image; always present for `Custom` cursors. */
  image?: { width: number; height: number; hotspotX: number; hotspotY: number; rgba: Buffer }
}

export interface KeyPress {
  /** Key name as in `KeyboardEvent.key` of browsers. */
  key: string
  /** Key position as in `KeyboardEvent.code`; empty if unknown. */
  code: string
  isPressed: boolean
  mode: KeyboardInputMode
  modifiers: { control: boolean; shift: boolean; alt: boolean; meta: boolean }
}

/** Pointer and keyboard. Calls take effect in order. */
export interface Input {
  /** Moves the pointer, in pixels of the desktop. */
  movePointer(x: number, y: number): void
  setButton(button: MouseButton, isPressed: boolean): void
  /** Scrolls in pixels as browsers count them: positive is up and left. */
  scroll(x: number, y: number): void
  setKey(press: KeyPress): void
  /** Types any text, independent of the keyboard layout. */
  typeText(text: string): Promise<void>
  /** Releases every pressed key and button. */
  releaseAll(): void
}

/** Content of one kind on a clipboard. Both functions reject with a UserError, above `maxClipboardBytes` too. */
export interface ClipboardContent<T> {
  /** Returns null if the clipboard has no content of this kind. */
  read(): Promise<T | null>
  write(content: T): Promise<void>
}

export interface Clipboard {
  /** Called when another program has changed the clipboard. */
  onChange: () => void
  /** Returns null without text. */
  readText(): Promise<string | null>
  writeText(text: string): Promise<void>
  /** A picture as PNG. Missing where the agent cannot exchange pictures with the system. */
  pictures?: ClipboardContent<Buffer>
  /** Absolute paths of copied files and folders. Missing where the agent cannot exchange them with the system. */
  files?: ClipboardContent<readonly string[]>
}

/** Line on the screen that names the viewers, until closed. */
export interface Notice {
  close(): void
}

/** State that a session may switch on at a desktop. It ends with the `Desktop`, and with this process. */
export interface DesktopSwitch {
  /** Reason why this desktop never switches it on; undefined if it can. */
  readonly obstacle: string | undefined
  /** Resolves with the state in effect, as the system confirms it. Rejects with a UserError if the state is unchanged. */
  set(isOn: boolean): Promise<boolean>
  /** Called when the state ended by itself. */
  onEnd: (reason: string) => void
}

/** Sound that the person at the desktop hears, while it is switched on. */
export interface DesktopSound extends DesktopSwitch {
  /** Called with each packet (`shared/remote-control/sound.ts`), in order; silence has none. */
  onPacket: (packet: Buffer) => void
}

/** Desktop with all its displays. */
export interface Desktop {
  /** Capture method, for people. */
  captureMode: string
  displays(): readonly Display[]
  onDisplaysChanged: () => void
  /** Whether `openScreen` takes an area over several displays. Missing where each display is captured by itself. */
  spansDisplays?: true
  openScreen(display: Display): Promise<Screen>
  /** Encoder of the system for areas that move; missing where images are all there is. */
  openVideo?: OpenVideo
  input: Input
  clipboard: Clipboard
  cursor(): Cursor
  /** Position of the pointer, in pixels of the desktop. */
  pointer(): Promise<{ x: number; y: number }>
  onCursorChanged: () => void
  /**
   * Includes the pointer in pictures, where the system draws it and tells neither its position nor its shape; missing
   * elsewhere.
   */
  showPointer?(isShown: boolean): void
  /**
   * Shows a short text to the person at the device, on every display where the system allows it; `onEnd` is called when
   * that person presses `label`.
   */
  showNotice(text: string, label: string, onEnd: () => void): Notice
  /** Blocks the person's own pointer and keyboard. */
  blockInput: DesktopSwitch
  /** Blanks all displays for the person; captured pictures still show the desktop. */
  blankScreens: DesktopSwitch
  /** Missing where the agent cannot read the sound of the system. */
  sound?: DesktopSound
  /** Whether the system shows its secure desktop in place of the person's. Missing on systems without one. */
  isSecureDesktop?(): boolean
  onSecureDesktop?: () => void
  /** Called once when the desktop is closed: the person signed out, or the display server ended. */
  onEnd: (reason: string) => void
  close(): void
}
