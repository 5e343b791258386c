/** The first of the characters that agents make of bytes that are no text: U+EF80 to U+EFFF. */
const firstByte = 0xef00

/** Controls, what turns text around, what has no width, spaces at either end, and bytes that are no text. */
const hidden =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\uef80-\uefff]|^ +| +$|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const hex = (code: number, digits: number) => code.toString(16).toUpperCase().padStart(digits, '0')

/** In words that every font has: signs for controls are in few. */
const codeOf = (text: string) =>
  [...text]
    .map((character) => character.charCodeAt(0))
    .map((code) => (code >= 0xef80 && code <= 0xefff ? `⟨${hex(code - firstByte, 2)}⟩` : `⟨U+${hex(code, 4)}⟩`))
    .join('')

/** A name from a device as it can be shown: nothing in it is unseen or turns the text around it (T03, T18). */
export const visibleName = (name: string) => name.replace(hidden, codeOf)
