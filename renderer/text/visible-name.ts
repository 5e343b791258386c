/** Base of the characters U+EF80 to U+EFFF, to which agents map invalid bytes. */
const firstByte = 0xef00

/** Control characters, bidirectional marks, zero-width characters, spaces at either end, and invalid bytes. */
const hidden =
  // oxlint-disable-next-line no-misleading-character-class
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\uef80-\uefff]|^ +| +$|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const hex = (code: number, digits: number) => code.toString(16).toUpperCase().padStart(digits, '0')

/** Replaces characters by their code: few fonts have symbols for control characters. */
const codeOf = (text: string) =>
  [...text]
    .map((character) => character.charCodeAt(0))
    .map((code) => (code >= 0xef80 && code <= 0xefff ? `⟨${hex(code - firstByte, 2)}⟩` : `⟨U+${hex(code, 4)}⟩`))
    .join('')

/**
 * Makes a name from a device safe to show: no invisible character stays, and none changes the text around it (T03,
 * T18).
 */
export const visibleName = (name: string) => name.replace(hidden, codeOf)
