import { openX11Desktop } from '../../agent/platform/linux/x11/desktop.ts'
import { keyboardInputMode } from '../../shared/remote-control/values.ts'

const modifiers = { control: false, shift: false, alt: false, meta: false }

/** Simulates the person at the keyboard of an X display. */
export async function personAt(display: string) {
  const desktop = await openX11Desktop({ display })
  const press = (...keys: readonly string[]) => {
    for (const key of keys) {
      for (const isPressed of [true, false]) {
        desktop.input.setKey({ key, code: key, mode: keyboardInputMode.Physical, modifiers, isPressed })
      }
    }
  }
  return {
    press,
    async say(text: string) {
      await desktop.input.typeText(text)
      press('Enter')
    },
    leave: () => desktop.close(),
  }
}
