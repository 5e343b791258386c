import { openX11Desktop } from '../../agent/platform/linux/x11/desktop.ts'
import { keyboardInputMode } from '../../shared/remote-control/values.ts'

/** Simulates the person at the keyboard of an X display. */
export async function personAt(display: string) {
  const desktop = await openX11Desktop({ display })
  return {
    async say(text: string) {
      await desktop.input.typeText(text)
      const modifiers = { control: false, shift: false, alt: false, meta: false }
      const enter = { key: 'Enter', code: 'Enter', mode: keyboardInputMode.Physical, modifiers }
      desktop.input.setKey({ ...enter, isPressed: true })
      desktop.input.setKey({ ...enter, isPressed: false })
    },
    leave: () => desktop.close(),
  }
}
