import type { PointerDevice } from '../../desktop/ordered-input.ts'
import { type MouseButton, mouseButton } from '../../../../shared/remote-control/values.ts'

/** Axes of a wheel, as both interfaces number them: positive is down and right. */
export const axes = { y: 0, x: 1 } as const

/** Input events that a desktop takes over its bus. */
export interface InputEvents extends PointerDevice {
  /** Presses or releases a key, as Linux numbers them. */
  keycode(keycode: number, isPressed: boolean): void
  keysym(keysym: number, isPressed: boolean): void
}

/** Buttons as Linux numbers them. */
export const linuxButtons: Readonly<Record<MouseButton, number>> = {
  [mouseButton.Left]: 0x110,
  [mouseButton.Right]: 0x111,
  [mouseButton.Middle]: 0x112,
  [mouseButton.Back]: 0x113,
  [mouseButton.Forward]: 0x114,
}
