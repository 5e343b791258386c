import type { CDPSession, Page } from '@playwright/test'
import { expect, freshPageTest as test } from './support/fixtures.ts'
import { displayOf, ScriptedDesktop } from './support/scripted-desktop.ts'

const [width, height] = [640, 400]
const inputs = ['KeyEvent', 'TypeText', 'MouseClick', 'MouseButtonEvent', 'MovePointer', 'WheelScroll']

/**
 * Takes control of a device with a small screen; `done` returns the device's input since the last call, in short form.
 */
async function control(page: Page, desktop: ScriptedDesktop, url: string) {
  desktop.displays = [displayOf(0, width, height)]
  await page.goto(`${url}/devices/${desktop.deviceId}/control`)
  await page.getByRole('button', { name: 'Control', exact: true }).click()
  await expect(page.getByTestId('remote-screen').locator('canvas')).toBeVisible()
  await expect(page.getByText(/Connecting…|Loading the picture/)).toHaveCount(0)
  let seen = 0
  return async (last: string) => {
    const words = () => desktop.received.filter(({ name }) => inputs.includes(name)).map(wordOf)
    await expect.poll(() => words().slice(seen).at(-1)).toBe(last)
    const since = words().slice(seen)
    seen += since.length
    return since
  }
}

/** Members of all messages that the tests read. */
interface Said {
  normalizedX: number
  normalizedY: number
  isPressed: boolean
  code: string
  key: string
  text: string
  isDoubleClick: boolean
  button: number
  scrollX: number
  scrollY: number
}

function wordOf({ name, payload }: ScriptedDesktop['received'][number]) {
  const said = payload as Partial<Said>
  const at =
    said.normalizedX !== undefined && said.normalizedY !== undefined
      ? ` ${Math.floor(said.normalizedX * width)},${Math.floor(said.normalizedY * height)}`
      : ''
  switch (name) {
    case 'KeyEvent':
      return `${said.isPressed ? '+' : '-'}${said.code || said.key}`
    case 'TypeText':
      return `"${said.text}"`
    case 'MouseClick':
      return `${said.isDoubleClick ? 'double' : 'click'} ${said.button}${at}`
    case 'MouseButtonEvent':
      return `${said.isPressed ? 'down' : 'up'} ${said.button}${at}`
    case 'WheelScroll':
      return `scroll ${said.scrollX},${said.scrollY}`
    default:
      return `to${at}`
  }
}

test(
  'composed words arrive once, and on-screen keys arrive as their meaning',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    const done = await control(page, desktop, server.url)
    const cdp = await page.context().newCDPSession(page)
    const compose = (text: string) =>
      cdp.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
    const commit = (text: string) => cdp.send('Input.insertText', { text })
    const key = (type: 'rawKeyDown' | 'keyDown', name: string, code: string, more: object = {}) =>
      cdp.send('Input.dispatchKeyEvent', { type, key: name, code, ...more })
    const ofMethod = { windowsVirtualKeyCode: 229 }

    // Events of macOS: only the key code marks the first letter and the final Enter as part of the composition.
    await key('rawKeyDown', 'k', 'KeyK', ofMethod)
    await compose('k')
    await key('rawKeyDown', 'a', 'KeyA', ofMethod)
    await compose('か')
    await compose('漢字')
    await commit('漢字')
    await key('rawKeyDown', 'Enter', 'Enter', ofMethod)
    await compose('x')
    await compose('')
    await key('rawKeyDown', 'Dead', 'Quote')
    await key('keyDown', 'é', 'KeyE', { text: 'é' })
    expect(await done('"é"')).toEqual(['"漢字"', '"é"'])

    // Events of Android keyboards.
    const onGlass = (command: string) => key('rawKeyDown', 'Unidentified', '', { ...ofMethod, commands: [command] })
    await compose('ls')
    await commit('ls')
    await onGlass('deleteBackward')
    await onGlass('deleteBackward')
    await onGlass('insertNewline')
    await key('keyDown', 'a', '', { text: 'a' })
    expect(await done('"a"')).toEqual([
      '"ls"',
      '+Backspace',
      '-Backspace',
      '+Backspace',
      '-Backspace',
      '+Enter',
      '-Enter',
      '"a"',
    ])

    await page.getByRole('button', { name: 'Input', exact: true }).click()
    await page.getByRole('switch', { name: 'Modifier keys' }).click()
    await page.keyboard.press('Escape')
    const bar = page.getByRole('toolbar', { name: 'Modifier keys' })
    await bar.getByRole('button', { name: 'Ctrl' }).click()
    await compose('c')
    expect(await done('-ControlLeft')).toEqual(['+ControlLeft', '+c', '-c', '-ControlLeft'])
    await compose('ma')
    await expect(page.getByRole('textbox', { name: /^Keyboard of/ })).toHaveValue(/ma$/)
    await bar.getByRole('button', { name: 'Tab' }).click()
    expect(await done('-Tab')).toEqual(['"ma"', '+Tab', '-Tab'])
    await compose('here')
    await page.getByTestId('remote-screen').click()
    const clicked = (await done('up 0 320,200')).filter((word) => !word.startsWith('to'))
    expect(clicked).toEqual(['"here"', 'down 0 320,200', 'up 0 320,200'])
    await desktop.stop()
  },
)

test.describe('on a tablet', () => {
  test.use({ viewport: { width: 820, height: 1180 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true })

  test(
    'fingers click, drag, scroll and zoom, and every corner can be reached',
    { tag: '@night' },
    async ({ page, server, owner }) => {
      const desktop = await ScriptedDesktop.start(owner)
      // The page signals a long press by vibration.
      await page.addInitScript(() => {
        let pressed = 0
        navigator.vibrate = () => {
          document.documentElement.dataset['longPresses'] = String(++pressed)
          return true
        }
      })
      const isHeld = (times: number) => expect(page.locator('html')).toHaveAttribute('data-long-presses', String(times))
      const done = await control(page, desktop, server.url)
      const cdp = await page.context().newCDPSession(page)
      const canvas = page.getByTestId('remote-screen').locator('canvas')
      const box = (await canvas.boundingBox())!
      const touch = fingersOn(cdp, (x, y) => ({
        x: box.x + ((x + 0.5) / width) * box.width,
        y: box.y + ((y + 0.5) / height) * box.height,
      }))

      // Without pauses: the duration of a touch and the time to the next one have meanings.
      const tap = (...places: [number, number][]) => Promise.all(places.flatMap((place) => [touch(place), touch()]))
      await tap([100, 50])
      expect(await done('click 0 100,50')).toEqual(['to 100,50', 'click 0 100,50'])
      await tap([0, 0], [1, 0])
      expect(await done('double 0 0,0')).toEqual(['to 0,0', 'double 0 0,0'])
      // A tap elsewhere, and a key, come after the first tap.
      await tap([639, 0], [639, 399])
      await page.keyboard.press('a')
      expect(await done('-KeyA')).toEqual([
        'to 639,0',
        'click 0 639,0',
        'to 639,399',
        'click 0 639,399',
        '+KeyA',
        '-KeyA',
      ])

      await touch([100, 50])
      await isHeld(1)
      await touch()
      expect(await done('click 2 100,50')).toEqual(['click 2 100,50'])
      for (const drag of [1, 2]) {
        await touch([100, 50])
        await isHeld(1 + drag)
        await touch([105, 50])
        await touch([160, 90])
        await touch([200 + drag, 90])
        await touch()
        const [first, ...rest] = await done(`up 0 ${200 + drag},90`)
        expect(first).toBe('down 0 100,50')
        expect(rest).toContain('to 160,90')
      }
      // Scrolling fingers change their distance.
      const scrolled = () => desktop.sent('WheelScroll').reduce((sum, { scrollY }) => sum + scrollY, 0)
      await touch([100, 50], [140, 50])
      await touch([98, 70], [142, 70])
      await touch([99, 90], [141, 90])
      await touch()
      await expect.poll(scrolled).toBeGreaterThan((40 * box.height) / height - 2)
      expect(desktop.sent('WheelScroll').map(({ scrollX }) => scrollX)).not.toContain(1)

      await touch([280, 200], [360, 200])
      await touch([260, 200], [380, 200])
      await touch([240, 200], [400, 200])
      await touch()
      await expect.poll(async () => Math.round((await canvas.boundingBox())!.width)).toBe(box.width * 2)
      // The point between the fingers stays in place.
      const grown = (await canvas.boundingBox())!
      expect(Math.abs(grown.x + grown.width / 2 - (box.x + box.width / 2))).toBeLessThan(4)
      await expect(page.getByRole('toolbar', { name: 'Remote control toolbar' })).toBeVisible()
      await page.getByRole('button', { name: 'On-screen keyboard' }).tap()
      await expect(page.getByRole('textbox', { name: /^Keyboard of/ })).toHaveAttribute('inputmode', 'text')
      await expect(page.getByRole('textbox', { name: /^Keyboard of/ })).toBeFocused()
      await expect(page.getByRole('toolbar', { name: 'Modifier keys' })).toBeVisible()
      await desktop.stop()
    },
  )
})

/** Touches these places of the device; without any, all fingers are lifted. */
function fingersOn(cdp: CDPSession, at: (x: number, y: number) => { x: number; y: number }) {
  let down = 0
  return async (...fingers: [number, number][]) => {
    const type = fingers.length === 0 ? 'touchEnd' : fingers.length > down ? 'touchStart' : 'touchMove'
    down = fingers.length
    await cdp.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: fingers.map(([x, y], id) => ({ ...at(x, y), id })),
    })
  }
}
