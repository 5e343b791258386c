/** Base of the characters U+EF80 to U+EFFF, to which agents map invalid bytes. */
const firstByte = 0xef00

/**
 * Control characters, invalid bytes, line separators, all that fonts draw as nothing (such as tags and zero-width characters),
 * marks of direction, the blank of Braille, spaces at either end, and half characters.
 */
const hidden =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\uef80-\uefff]|^ +|(?<! ) +$/gu

const hex = (code: number, digits: number) => code.toString(16).toUpperCase().padStart(digits, '0')

/** Replaces characters by their code: few fonts have symbols for control characters. */
const codeOf = (text: string) =>
  [...text]
    .map((character) => character.codePointAt(0)!)
    .map((code) => (code >= 0xef80 && code <= 0xefff ? `⟨${hex(code - firstByte, 2)}⟩` : `⟨U+${hex(code, 4)}⟩`))
    .join('')

/**
 * Makes a name from a device safe to show: no invisible character stays, and none changes the text around it (T03,
 * T18).
 */
export const visibleName = (name: string) => name.replace(hidden, codeOf)
