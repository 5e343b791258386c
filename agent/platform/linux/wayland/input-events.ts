/** Axes of a wheel, as both interfaces number them. */
export const axes = { y: 0, x: 1 } as const

/** Input events that a desktop takes over its bus. */
export interface InputEvents {
  /** Moves the pointer, in pixels of the desktop; returns false beside all displays. */
  move(x: number, y: number): boolean
  /** Presses or releases a button, as Linux numbers them. */
  button(button: number, isPressed: boolean): void
  /** Presses or releases a key, as Linux numbers them. */
  keycode(keycode: number, isPressed: boolean): void
  keysym(keysym: number, isPressed: boolean): void
  /** Turns the wheel: positive is down and right. */
  scroll(axis: keyof typeof axes, notches: number): void
}
