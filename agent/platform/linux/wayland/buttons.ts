import { type MouseButton, mouseButton } from '../../../../shared/remote-control/values.ts'

/** Buttons as Linux numbers them. */
export const linuxButtons: Readonly<Record<MouseButton, number>> = {
  [mouseButton.Left]: 0x110,
  [mouseButton.Right]: 0x111,
  [mouseButton.Middle]: 0x112,
  [mouseButton.Back]: 0x113,
  [mouseButton.Forward]: 0x114,
}
