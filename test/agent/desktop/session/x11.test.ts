import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Desktop } from '../../../../agent/platform/desktop/desktop.ts'
import { openX11Desktop } from '../../../../agent/platform/linux/x11/desktop.ts'
import { until } from '../../../support/until.ts'
import { startXvfb, type XDisplay } from '../../../../tools/simulate/display.ts'
import { openTerminal } from '../terminal-window.ts'
import { XProgram } from '../x-program.ts'
import { startSceneOn } from './scene.ts'

type Scene = Awaited<ReturnType<typeof startSceneOn<Desktop>>>
let display: XDisplay
let terminal: Awaited<ReturnType<typeof openTerminal>>
let scene: Scene

beforeAll(async () => {
  display = await startXvfb('800x600x24')
  terminal = await openTerminal(display)
})
afterAll(async () => {
  await terminal?.close()
  await display?.stop()
})

const start = async () => {
  scene = await startSceneOn({ desktop: await openX11Desktop({ display: display.name }) })
}

/** Maximum difference between the viewer's pixels and the display's, on average and at worst. */
async function difference() {
  const desktop = await openX11Desktop({ display: display.name })
  const [shown] = desktop.displays()
  if (!shown) {
    throw new Error('The display shows nothing.')
  }
  const screen = await desktop.openScreen(shown)
  const { picture } = await screen.capture(true)
  let [sum, worst] = [0, 0]
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) {
      const [blue = 0, green = 0, red = 0] = picture.pixels.subarray(y * picture.stride + x * 4)
      scene.canvas.at(x, y).forEach((value, index) => {
        const apart = Math.abs(value - ([red, green, blue][index] ?? 0))
        sum += apart
        worst = Math.max(worst, apart)
      })
    }
  }
  desktop.close()
  return { mean: sum / (picture.width * picture.height * 3), worst }
}

describe('a session on an X display with an xterm', () => {
  test('text typed by the viewer arrives in the program, and its output arrives at the viewer', async () => {
    await start()
    await until(() => scene.frames.length > 0)
    const program = await XProgram.start(display.name)
    await program.openWindow(500, 300, 211, 133, { backgroundPixel: 0x33_66_cc })
    await program.openWindow(711, 433, 89, 167, { backgroundPixel: 0xff_20_10 })
    await scene.viewer.send('MovePointer', { normalizedX: 0.2, normalizedY: 0.2 })
    await scene.viewer.send('TypeText', { text: 'añ日 €~' })
    expect(await terminal.typedUntil('~')).toBe('añ日 €~')
    await scene.viewer.setCapture({ manualQuality: 95 })
    const seen = await until(async () => {
      const apart = await difference()
      return apart.worst < 40 ? apart : undefined
    })
    expect(seen.mean).toBeLessThan(1)
    expect(scene.canvas.at(799, 599)[0]).toBeGreaterThan(240)
    program.connection.close()
  })

  test('text at rest has every pixel of the display', async () => {
    await start()
    await scene.viewer.setCapture({ isAutoQualityEnabled: true })
    await scene.viewer.send('TypeText', { text: 'exact ' })
    expect(await terminal.typedUntil('exact ')).toContain('exact ')
    await until(async () => (await difference()).worst === 0)
  })

  test('text copied by the viewer is returned to it', async () => {
    await start()
    await scene.viewer.send('ClipboardText', { text: 'from afar – ünï', sessionId: scene.sessionId })
    await scene.viewer.send('RequestClipboardText', {})
    await until(() => scene.told.ClipboardText?.some(({ text }) => text === 'from afar – ünï'))
  })

  test('a session that ends leaves no key pressed', async () => {
    await start()
    await scene.viewer.send('KeyEvent', {
      key: 'Shift',
      code: 'ShiftLeft',
      isPressed: true,
      inputMode: 0,
      modifiers: { control: false, shift: true, alt: false, meta: false },
    })
    await scene.viewer.send('RequestClipboardText', {})
    await until(() => scene.told.ClipboardText)
    scene.viewer.close()
    expect((await scene.ended).by).toBe('viewer')
    await start()
    await scene.viewer.send('MovePointer', { normalizedX: 0.2, normalizedY: 0.2 })
    const press = (isPressed: boolean) =>
      scene.viewer.send('KeyEvent', {
        key: 'q',
        code: 'KeyQ',
        isPressed,
        inputMode: 1,
        modifiers: { control: false, shift: false, alt: false, meta: false },
      })
    await press(true)
    await press(false)
    expect(await terminal.typedUntil('q')).toBe('q')
  })
})
