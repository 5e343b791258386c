import { setTimeout as wait } from 'node:timers/promises'
import { mouseButton, type MouseButton } from '../../../../shared/remote-control/values.ts'
import { UserError } from '../../../base/errors.ts'
import type { Input, KeyPress, Rectangle } from '../../desktop/desktop.ts'
import { meaningWithCode, nameOf } from '../../desktop/key-press.ts'
import { Wheel } from '../../desktop/wheel.ts'
import { winuser } from '../win32/winuser.ts'
import { absolutePosition, inputBytes, keyEvent, mouseEvent, textEvents } from './input-events.ts'
import { keyAt, type WindowsKey } from './keys.ts'

/** Flags for a press and a release, and the number of an extra button. */
const buttons: Readonly<Record<MouseButton, readonly [down: number, up: number, data: number]>> = {
  [mouseButton.Left]: [0x2, 0x4, 0],
  [mouseButton.Right]: [0x8, 0x10, 0],
  [mouseButton.Middle]: [0x20, 0x40, 0],
  [mouseButton.Back]: [0x80, 0x100, 1],
  [mouseButton.Forward]: [0x80, 0x100, 2],
}
/** `MOUSEEVENTF_MOVE | MOUSEEVENTF_ABSOLUTE | MOUSEEVENTF_VIRTUALDESK` */
const moveAbsolute = 0x1 | 0x8000 | 0x4000
const wheelTurned = { x: 0x1000, y: 0x800 }
/** `SM_XVIRTUALSCREEN` and the following three. */
const virtualScreen = { x: 76, y: 77, width: 78, height: 79 }
const scanCodeToVirtualKey = 3
const virtualKeyToScanCode = 0

const unitsPerNotch = 120

/** Number of characters typed at once, so that programs that redraw for each character keep up. */
const charactersAtOnce = 32
const pauseMs = 5

/** Virtual keys of Control, Alt and the Windows keys, which would turn typed characters into shortcuts. */
const shortcutModifiers = new Set([0xa2, 0xa3, 0xa4, 0xa5, 0x5b, 0x5c])

interface HeldKey {
  virtualKey: number
  scanCode: number
}

type Api = Awaited<ReturnType<typeof winuser>>

/** Injects pointer and keyboard input into this session. */
export class WindowsInput implements Input {
  /** Takes the events instead of this process, while that is of use; returns undefined otherwise. */
  redirect: (events: readonly Buffer[]) => boolean | undefined = () => undefined
  readonly #api: Api
  readonly #heldKeys = new Map<string, HeldKey>()
  readonly #heldButtons = new Set<MouseButton>()
  readonly #wheel = new Wheel()

  /** Rectangle around all displays. */
  readonly #bounds: () => Rectangle

  private constructor(api: Api, bounds?: () => Rectangle) {
    const metric = (name: keyof typeof virtualScreen) => api.getSystemMetrics(virtualScreen[name])
    this.#api = api
    this.#bounds =
      bounds ?? (() => ({ x: metric('x'), y: metric('y'), width: metric('width'), height: metric('height') }))
  }

  /** `bounds` returns the rectangle around all displays, for a process that is on none of them. */
  static async open(bounds?: () => Rectangle): Promise<WindowsInput> {
    return new WindowsInput(await winuser(), bounds)
  }

  movePointer(x: number, y: number): void {
    const bounds = this.#bounds()
    this.#send([
      mouseEvent(moveAbsolute, {
        x: absolutePosition(x, bounds.x, bounds.width),
        y: absolutePosition(y, bounds.y, bounds.height),
      }),
    ])
  }

  setButton(button: MouseButton, isPressed: boolean): void {
    if (isPressed) {
      this.#heldButtons.add(button)
    } else if (!this.#heldButtons.delete(button)) {
      return
    }
    const [down, up, data] = buttons[button]
    this.#send([mouseEvent(isPressed ? down : up, { data })])
  }

  scroll(x: number, y: number): void {
    // Positive is right for the horizontal wheel of Windows.
    for (const [axis, pixels] of [['x', -x] as const, ['y', y] as const]) {
      const notches = this.#wheel.notches(axis, pixels)
      if (notches !== 0) {
        this.#send([mouseEvent(wheelTurned[axis], { data: notches * unitsPerNotch })])
      }
    }
  }

  setKey(press: KeyPress): void {
    const { key, code, isPressed } = press
    const name = nameOf(press)
    const meaning = meaningWithCode(press)
    if (!isPressed) {
      this.#release(name)
    } else if (meaning === 'position') {
      this.#hold(name, keyAt(code, key))
    } else if (meaning === 'shortcut') {
      this.#hold(name, this.#keyOfCharacter(key) ?? keyAt(code, key))
    } else if (meaning === 'character') {
      this.#type(key)
    }
  }

  /** Rejects with a UserError if Windows injects nothing. */
  async typeText(text: string): Promise<void> {
    const characters = [...text.replaceAll(/\r\n?/g, '\n')]
    for (let first = 0; first < characters.length; first += charactersAtOnce) {
      if (!this.#type(characters.slice(first, first + charactersAtOnce).join(''))) {
        throw new UserError('Windows takes no input from this program now')
      }
      await wait(pauseMs)
    }
  }

  releaseAll(): void {
    for (const name of this.#heldKeys.keys()) {
      this.#release(name)
    }
    for (const button of this.#heldButtons) {
      this.setButton(button, false)
    }
  }

  /** Returns false if Windows injected none of the events. */
  #send(events: readonly Buffer[]): boolean {
    return (
      events.length === 0 ||
      (this.redirect(events) ?? this.#api.sendInput(events.length, Buffer.concat(events), inputBytes) > 0)
    )
  }

  /** Windows repeats no injected key: each press is passed on, also those that the viewer's keyboard repeats. */
  #hold(name: string, key: WindowsKey | undefined) {
    const virtualKey = key && (key.virtualKey ?? this.#api.mapVirtualKey(key.scanCode, scanCodeToVirtualKey))
    if (key && virtualKey) {
      this.#heldKeys.set(name, { virtualKey, scanCode: key.scanCode })
      this.#send([keyEvent(virtualKey, key.scanCode, true)])
    }
  }

  #release(name: string) {
    const held = this.#heldKeys.get(name)
    if (held) {
      this.#heldKeys.delete(name)
      this.#send([keyEvent(held.virtualKey, held.scanCode, false)])
    }
  }

  /** Types characters; releases held modifiers of shortcuts meanwhile. */
  #type(text: string): boolean {
    const lifted = [...this.#heldKeys.values()].filter(({ virtualKey }) => shortcutModifiers.has(virtualKey))
    const set = (isPressed: boolean) =>
      lifted.map(({ virtualKey, scanCode }) => keyEvent(virtualKey, scanCode, isPressed))
    const typed = text.split(/([\n\t])/).flatMap((part) => {
      const key = part === '\n' ? keyAt('Enter', '') : part === '\t' ? keyAt('Tab', '') : undefined
      return key?.virtualKey
        ? [true, false].map((isPressed) => keyEvent(key.virtualKey ?? 0, key.scanCode, isPressed))
        : textEvents(part)
    })
    return this.#send([...set(false), ...typed, ...set(true)])
  }

  /** Key of the device's layout that produces this character. */
  #keyOfCharacter(character: string): WindowsKey | undefined {
    const found = this.#api.vkKeyScan(character.toLowerCase().charCodeAt(0))
    const virtualKey = found & 0xff
    return found === -1
      ? undefined
      : { virtualKey, scanCode: this.#api.mapVirtualKey(virtualKey, virtualKeyToScanCode) }
  }
}
