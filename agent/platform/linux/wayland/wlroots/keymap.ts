/** Keymap of the virtual keyboard: the US layout by position, and spare keys for all other characters. */

const rows: readonly (readonly [firstKeycode: number, plain: string, shifted: string])[] = [
  [10, '1234567890-=', '!@#$%^&*()_+'],
  [24, 'qwertyuiop[]', 'QWERTYUIOP{}'],
  [38, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [51, '\\zxcvbnm,./', '|ZXCVBNM<>?'],
  [65, ' ', ''],
  [36, '\n', ''],
  [23, '\t', ''],
  [22, '\b', ''],
]

export interface KeyPosition {
  keycode: number
  needsShift: boolean
}

const positions: ReadonlyMap<string, KeyPosition> = new Map(
  rows.flatMap(([first, plain, shifted]) =>
    [plain, shifted].flatMap((characters, level) =>
      [...characters].map((character, index) => [character, { keycode: first + index, needsShift: level === 1 }]),
    ),
  ),
)

/** Keycodes that stand for no key of usual keyboards. */
const spareKeycodes = [
  93, 97, 98, 103, 109, 120, 126, 149, 152, 153, 154, 157, 158, 159, 161, 162, 165, 168, 170, 175, 176, 177, 178, 183,
  184, 185, 186, 189, 190, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220,
  221, 222, 223, 224, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244,
  245, 246,
]
const keyNameOf = (keycode: number) => `FH${keycode.toString(16).toUpperCase().padStart(2, '0')}`
const hasKeysym = (character: string) => !/[\p{Cc}\p{Cs}]/u.test(character)

/** Assigns spare keys to characters. The least recently assigned key is used first, as programs may lag behind. */
export class Keymap {
  readonly #spares = new Map<string, number>()
  #next = 0

  find(character: string): KeyPosition | undefined {
    const spare = this.#spares.get(character)
    return positions.get(character) ?? (spare === undefined ? undefined : { keycode: spare, needsShift: false })
  }

  /** Returns whether the keymap has to be sent again. Control characters without a key get none. */
  assign(characters: Iterable<string>): boolean {
    const missing = [...new Set(characters)].filter((character) => !this.find(character) && hasKeysym(character))
    for (const character of missing) {
      const keycode = spareKeycodes[this.#next++ % spareKeycodes.length] ?? 0
      for (const [other, taken] of this.#spares) {
        if (taken === keycode) {
          this.#spares.delete(other)
        }
      }
      this.#spares.set(character, keycode)
    }
    return missing.length > 0
  }

  /** The keymap as XKB reads it. The compositor has the included files, because its own layouts are made of them. */
  toString(): string {
    const codes = spareKeycodes.map((keycode) => `<${keyNameOf(keycode)}> = ${keycode};`)
    const symbols = [...this.#spares].map(([character, keycode]) => {
      const codePoint = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      return `key <${keyNameOf(keycode)}> { [ U${codePoint} ] };`
    })
    return [
      'xkb_keymap {',
      `xkb_keycodes { include "evdev+aliases(qwerty)" ${codes.join(' ')} };`,
      'xkb_types { include "complete" };',
      'xkb_compat { include "complete" };',
      `xkb_symbols { include "pc+us+inet(evdev)" ${symbols.join(' ')} };`,
      '};',
    ].join('\n')
  }
}
