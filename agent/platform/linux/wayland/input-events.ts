import type { PointerDevice } from '../../desktop/ordered-input.ts'

/** Axes of a wheel, as both interfaces number them: positive is down and right. */
export const axes = { y: 0, x: 1 } as const

/** Input events that a desktop takes over its bus. */
export interface InputEvents extends PointerDevice {
  /** Presses or releases a key, as Linux numbers them. */
  keycode(keycode: number, isPressed: boolean): void
  keysym(keysym: number, isPressed: boolean): void
}
