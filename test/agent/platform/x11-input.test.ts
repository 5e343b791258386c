import { execFileSync } from 'node:child_process'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { keyboardInputMode, mouseButton } from '../../../shared/remote-control/values.ts'
import type { Desktop, KeyPress } from '../../../agent/platform/desktop/desktop.ts'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import { Connection } from '../../../agent/platform/linux/x11/connection.ts'
import { KeyboardMap } from '../../../agent/platform/linux/x11/keyboard-map.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { openTerminal } from '../desktop/terminal-window.ts'
import { XProgram } from '../desktop/x-program.ts'
import { isNight } from '../../support/night.ts'

let display: XDisplay
let desktop: Desktop

const setLayout = (...options: string[]) => {
  execFileSync('setxkbmap', ['-display', display.name, ...options], { stdio: 'ignore' })
}

beforeAll(async () => {
  display = await startXvfb('1280x800x24')
  setLayout('us')
  desktop = await openX11Desktop({ display: display.name })
})

afterAll(async () => {
  desktop?.close()
  await display?.stop()
})

const noModifiers = { control: false, shift: false, alt: false, meta: false }

const setKey = (key: string, code: string, isPressed: boolean, more: Partial<KeyPress> = {}) =>
  desktop.input.setKey({ key, code, isPressed, mode: keyboardInputMode.Auto, modifiers: noModifiers, ...more })

function pressKey(key: string, code: string, more: Partial<KeyPress> = {}) {
  setKey(key, code, true, more)
  setKey(key, code, false, more)
}

describe('input of an xterm', () => {
  let terminal: Awaited<ReturnType<typeof openTerminal>>

  beforeAll(async () => {
    terminal = await openTerminal(display)
    desktop.input.movePointer(600, 400)
  })

  afterAll(() => terminal?.close())

  afterEach(() => {
    desktop.input.releaseAll()
    setLayout('us')
  })

  const typed = (end: string) => terminal.typedUntil(end)

  test.each([['us'], ['de'], ['fr'], ['ru'], ['jp']])(
    'typed text arrives as it is, with the layout %s',
    async (layout) => {
      setLayout(layout)
      await desktop.input.typeText('äöü€ @#$ AbC 日本 Ω я 😀👍 ~^`´"\\|{}[]<>.')
      expect(await typed('.')).toBe('äöü€ @#$ AbC 日本 Ω я 😀👍 ~^`´"\\|{}[]<>.')
    },
  )

  test('line ends and tabs are keys, whatever system the text is from', async () => {
    await desktop.input.typeText('a\tb\r\nc\nd\re.')
    expect(await typed('.')).toBe('a\tb\rc\rd\re.')
  })

  test.runIf(isNight)(
    'a text with more different characters than the keyboard has spare keys arrives whole',
    async () => {
      const text = `${Array.from({ length: 150 }, (_, index) => String.fromCodePoint(0x4e_00 + index)).join('')}.`
      await desktop.input.typeText(text)
      expect(await typed('.')).toBe(text)
      // On a busy machine each character keeps its key until slow programs have looked the key up.
    },
    90_000,
  )

  test('a long text keeps its order', async () => {
    const text = `${'The quick brown Fox jumps over the lazy Dog; ÄÖÜ! '.repeat(40)}.`
    await desktop.input.typeText(text)
    expect(await typed('.')).toBe(text)
  })

  test('keys pressed while a text is being typed come after it', async () => {
    const done = desktop.input.typeText('日本語')
    pressKey('x', 'KeyX')
    pressKey('.', 'Period')
    await done
    expect(await typed('.')).toBe('日本語x.')
  })

  test('in physical mode the key position is used, not the character', async () => {
    setLayout('de')
    const mode = keyboardInputMode.Physical
    pressKey('y', 'KeyY', { mode })
    pressKey(';', 'Semicolon', { mode })
    setKey('Shift', 'ShiftLeft', true, { mode })
    pressKey('Q', 'KeyQ', { mode })
    setKey('Shift', 'ShiftLeft', false, { mode })
    setKey('AltGraph', 'AltRight', true, { mode })
    pressKey('q', 'KeyQ', { mode })
    setKey('AltGraph', 'AltRight', false, { mode })
    pressKey('.', 'Period', { mode })
    expect(await typed('.')).toBe('zöQ@.')
  })

  test('in virtual mode the character is used, with and without held modifiers', async () => {
    setLayout('de')
    const mode = keyboardInputMode.Virtual
    pressKey('y', 'KeyY', { mode })
    // The viewer has an American keyboard: Shift+2 is @ there, and needs AltGr here.
    setKey('Shift', 'ShiftLeft', true, { mode })
    pressKey('@', 'Digit2', { mode, modifiers: { ...noModifiers, shift: true } })
    pressKey('A', 'KeyA', { mode, modifiers: { ...noModifiers, shift: true } })
    setKey('Shift', 'ShiftLeft', false, { mode })
    pressKey('ß', '', { mode })
    pressKey('日', '', { mode })
    pressKey('.', 'Period', { mode })
    expect(await typed('.')).toBe('y@Aß日.')
  })

  test('Shift is held again after a character that needed it lifted', async () => {
    setKey('Shift', 'ShiftLeft', true)
    pressKey('é', 'KeyE', { modifiers: { ...noModifiers, shift: true } })
    pressKey('b', 'KeyB', { mode: keyboardInputMode.Physical })
    setKey('Shift', 'ShiftLeft', false)
    pressKey('.', 'Period')
    expect(await typed('.')).toBe('éB.')
  })

  test('Control and Alt with a character are shortcuts by position', async () => {
    setKey('Control', 'ControlLeft', true)
    pressKey('c', 'KeyC', { modifiers: { ...noModifiers, control: true } })
    setKey('Control', 'ControlLeft', false)
    setKey('Alt', 'AltLeft', true)
    pressKey('f', 'KeyF', { modifiers: { ...noModifiers, alt: true } })
    setKey('Alt', 'AltLeft', false)
    pressKey('.', 'Period')
    expect(await typed('.')).toBe('\u0003\u001bf.')
  })

  test.each([
    ['AltGr of Windows', ['ControlLeft', 'AltRight'], { control: true, alt: true }],
    ['Option of a Mac', ['AltLeft'], { alt: true }],
    ['AltGr of Linux', ['AltRight'], {}],
  ] as const)('a character made with %s is typed, not taken for a shortcut', async (_, held, modifiers) => {
    for (const code of held) {
      setKey(code, code, true)
    }
    pressKey('€', 'KeyE', { modifiers: { ...noModifiers, ...modifiers } })
    pressKey('@', 'KeyL', { modifiers: { ...noModifiers, ...modifiers } })
    for (const code of held) {
      setKey(code, code, false)
    }
    pressKey('.', 'Period')
    expect(await typed('.')).toBe('€@.')
  })

  test('named keys are sent by their code, or by their name without a code', async () => {
    pressKey('ArrowUp', 'ArrowUp')
    pressKey('F5', 'F5')
    pressKey('Delete', '')
    pressKey('Enter', 'NumpadEnter')
    pressKey('Tab', '')
    pressKey('.', 'Period')
    expect(await typed('.')).toBe('\u001b[A\u001b[15~\u001b[3~\r\t.')
  })

  test('half of a surrogate pair types nothing, and the next whole character is typed', async () => {
    pressKey('Dead', 'Equal')
    pressKey('é', 'KeyE')
    pressKey('.', 'Period')
    expect(await typed('.')).toBe('é.')
  })

  test('Caps Lock on the device does not change the case of characters', async () => {
    pressKey('CapsLock', 'CapsLock')
    pressKey('a', 'KeyA')
    pressKey('B', 'KeyB')
    await desktop.input.typeText('cD')
    pressKey('CapsLock', 'CapsLock')
    pressKey('.', 'Period')
    expect(await typed('.')).toBe('aBcD.')
  })

  test('a second layout that the person has switched to is followed', async () => {
    setLayout('us,ru', '-option', 'grp:caps_toggle')
    pressKey('CapsLock', 'CapsLock')
    await desktop.input.typeText('abc привет.')
    expect(await typed('.')).toBe('abc привет.')
    pressKey('CapsLock', 'CapsLock')
    setLayout('us', '-option', '')
  })
})

describe('input of a window', () => {
  let program: XProgram

  beforeAll(async () => {
    program = await XProgram.start(display.name)
    await program.openWindow(0, 0, 1280, 800)
    await program.takeEvents()
  })

  afterAll(() => program?.stop())

  test('all five buttons where the pointer is', async () => {
    desktop.input.movePointer(123, 45)
    for (const button of Object.values(mouseButton)) {
      desktop.input.setButton(button, true)
      desktop.input.setButton(button, false)
    }
    const events = await program.takeEvents('ButtonPress', 'ButtonRelease')
    expect(events.map(({ name, keycode }) => [name, keycode])).toEqual(
      [1, 2, 3, 8, 9].flatMap((button) => [
        ['ButtonPress', button],
        ['ButtonRelease', button],
      ]),
    )
    expect(events[0]).toMatchObject({ x: 123, y: 45 })
  })

  test('scrolls one notch for each hundred pixels and carries the rest over', async () => {
    desktop.input.scroll(0, 60)
    expect(await program.takeEvents('ButtonPress')).toEqual([])
    desktop.input.scroll(0, 60)
    desktop.input.scroll(0, -250)
    desktop.input.scroll(100, 0)
    desktop.input.scroll(-100, 0)
    const events = await program.takeEvents('ButtonPress')
    expect(events.map(({ keycode }) => keycode)).toEqual([4, 5, 5, 6, 7])
  })

  test('scrolling is limited, however far a viewer turns the wheel', async () => {
    desktop.input.scroll(0, 1e12)
    desktop.input.scroll(0, Number.NaN)
    const events = await program.takeEvents('ButtonPress')
    expect(events.length).toBeLessThanOrEqual(30)
  })

  test('release of all lifts every held key and button', async () => {
    setKey('Control', 'ControlLeft', true)
    setKey('F2', 'F2', true)
    desktop.input.setButton(mouseButton.Left, true)
    await program.takeEvents()
    desktop.input.releaseAll()
    const events = await program.takeEvents('KeyRelease', 'ButtonRelease')
    expect(events.map(({ name, keycode }) => `${name} ${keycode}`).toSorted()).toEqual([
      'ButtonRelease 1',
      'KeyRelease 37',
      'KeyRelease 68',
    ])
  })
})

test('keys that were lent to characters are spare again once the desktop is closed', async () => {
  const program = await XProgram.start(display.name)
  const readMap = () =>
    program.connection.ask<readonly (readonly number[])[]>((callback) =>
      program.connection.client.GetKeyboardMapping(8, 248, callback),
    )
  const before = await readMap()
  const other = await openX11Desktop({ display: display.name })
  await other.input.typeText('漢字')
  expect(await readMap()).not.toEqual(before)
  other.close()
  await expect.poll(readMap).toEqual(before)
  program.stop()
})

test('lent keys are restored: they mean nothing, and the same number of keys can be lent again', async () => {
  const connection = await Connection.open({ display: display.name })
  const map = await KeyboardMap.open(connection, null)
  const symbol = 0x100_0000 + '語'.codePointAt(0)!
  const lendable = map.lendable
  for (let round = 0; round < 2; round++) {
    await map.lend([symbol], [])
    const { keycode } = map.find([symbol], 0)!
    expect([map.hasLent, map.isLent([symbol]), map.plainKeysym(keycode)]).toEqual([true, true, symbol])
    map.restore()
    expect(map.lendable).toBe(lendable)
    expect([map.hasLent, map.isLent([symbol]), map.find([symbol], 0)]).toEqual([false, false, undefined])
    await connection.flush()
    await map.refresh()
    expect([map.plainKeysym(keycode), map.lendable]).toEqual([0, lendable])
  }
  connection.close()
})
