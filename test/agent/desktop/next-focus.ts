import { setTimeout as wait } from 'node:timers/promises'
import type { Desktop } from '../../../agent/platform/desktop/desktop.ts'
import { Connection } from '../../../agent/platform/linux/x11/connection.ts'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import type { XDisplay } from '../../../tools/simulate/display.ts'
import { until } from '../../support/until.ts'

const getInputFocus = 43

/** Button color of a window, as blue, green and red. */
const button = [0xd6, 0x5f, 0x1f]

async function showsButton(desktop: Desktop) {
  const screen = await desktop.openScreen(desktop.displays()[0]!)
  const { picture } = await screen.capture(true)
  let count = 0
  for (let at = 0; at < picture.pixels.length; at += 4) {
    count += button.every((channel, index) => picture.pixels[at + index] === channel) ? 1 : 0
  }
  screen.close()
  return count > 500
}

/**
 * Call before a window opens: the returned promise resolves when the window has the keyboard focus and shows its
 * button.
 */
export async function nextFocus(display: XDisplay): Promise<() => Promise<void>> {
  const connection = await Connection.open({ display: display.name })
  const focus = () => connection.request(getInputFocus, 0, Buffer.alloc(0), (answer) => answer.readUInt32LE(0))
  const before = await focus()
  return async () => {
    // Small numbers are no window ids.
    await until(async () => (await focus()) > 1 && (await focus()) !== before)
    connection.close()
    const desktop = await openX11Desktop({ display: display.name })
    await until(() => showsButton(desktop))
    desktop.close()
    await wait(200)
  }
}
