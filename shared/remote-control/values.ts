/** Numbers of the remote-control messages. */

export const imageFormat = { Jpeg: 0, Png: 1, WebP: 2 } as const
export type ImageFormat = (typeof imageFormat)[keyof typeof imageFormat]

export const pointerCursor = {
  Unknown: 0,
  NormalArrow: 1,
  Ibeam: 2,
  SizeNs: 3,
  SizeWe: 4,
  SizeNwse: 5,
  SizeNesw: 6,
  Wait: 7,
  Hand: 8,
  Custom: 9,
} as const
export type PointerCursor = (typeof pointerCursor)[keyof typeof pointerCursor]

/** Keys by position on the keyboard, by the intended character, or as the device decides for each key. */
export const keyboardInputMode = { Auto: 0, Physical: 1, Virtual: 2 } as const
export type KeyboardInputMode = (typeof keyboardInputMode)[keyof typeof keyboardInputMode]

/** Button numbers of browsers. */
export const mouseButton = { Left: 0, Middle: 1, Right: 2, Back: 3, Forward: 4 } as const
export type MouseButton = (typeof mouseButton)[keyof typeof mouseButton]

/** In place of the id of a display: all displays in one picture, where `DesktopStatus` says `spansDisplays`. */
export const allDisplays = '*'

/**
 * Requests of a viewer that shares control. `Give` hands control over to another viewer, `Share` lets that one act too,
 * `Decline` answers its `Ask`; `Watch` ends the own control.
 */
export const controlRequest = { Ask: 0, Take: 1, Watch: 2, Give: 3, Share: 4, Decline: 5 } as const
export type ControlRequest = (typeof controlRequest)[keyof typeof controlRequest]

/** Purposes of a folder at the device: files dropped on the picture, and files that are pasted. */
export const folderPurpose = { Drop: 0, Clipboard: 1 } as const

export const layoutCoordinateSpace = { Logical: 0, Physical: 1 } as const

export const messageSeverity = { Information: 0, Warning: 1, Error: 2, Success: 3 } as const
