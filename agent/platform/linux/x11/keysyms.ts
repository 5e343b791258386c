import { x11 } from './protocol.ts'

/** Keysyms of control keys and modifiers. */
export const keysym = {
  Return: 0xff0d,
  Tab: 0xff09,
  BackSpace: 0xff08,
  ModeSwitch: 0xff7e,
  ShiftLeft: 0xffe1,
  ShiftRight: 0xffe2,
  ControlLeft: 0xffe3,
  ControlRight: 0xffe4,
  MetaLeft: 0xffe7,
  MetaRight: 0xffe8,
  AltLeft: 0xffe9,
  AltRight: 0xffea,
  SuperLeft: 0xffeb,
  SuperRight: 0xffec,
  Level3Shift: 0xfe03,
} as const

/** Offset of Unicode keysyms; the rest of the number is the code point. */
const unicodeKeysyms = 0x100_0000

/** Legacy keysyms, which layouts still use. The package describes them as `(я) CYRILLIC …`. */
const olderKeysyms = new Map<string, number>()
for (const { code, description } of Object.values(x11.keySyms)) {
  const character = /^\(?(\S)\)? [A-Z]/u.exec(description ?? '')?.[1]
  if (character && !olderKeysyms.has(character)) {
    olderKeysyms.set(character, code)
  }
}

const controlKeysyms: Readonly<Record<string, number>> = {
  '\n': keysym.Return,
  '\t': keysym.Tab,
  '\b': keysym.BackSpace,
}

const isLatin1 = (codePoint: number) =>
  (codePoint >= 0x20 && codePoint < 0x7f) || (codePoint >= 0xa0 && codePoint < 0x100)

/** Keysyms of one character, the likeliest first; empty for control characters without a key. */
export function keysymsOf(character: string): readonly number[] {
  const codePoint = character.codePointAt(0) ?? 0
  if (isLatin1(codePoint)) {
    return [codePoint]
  }
  if (codePoint < 0xa0) {
    const control = controlKeysyms[character]
    return control === undefined ? [] : [control]
  }
  const older = olderKeysyms.get(character)
  return older === undefined ? [unicodeKeysyms + codePoint] : [older, unicodeKeysyms + codePoint]
}
