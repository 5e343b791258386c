import type { IUnicodeVersionProvider } from '@xterm/xterm'

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
/** Two regional indicators form a flag, but programs count one cell each. */
const regional = /[\u{1f1e6}-\u{1f1ff}]/u
const invisible = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u
/** Characters below this code take one cell. */
const firstSpecial = 0x300

const known = new Map<number, 0 | 1 | 2>()
const maxKnown = 20_000

function measure(codePoint: number) {
  const character = String.fromCodePoint(codePoint)
  return invisible.test(character) ? 0 : wide.test(character) && !regional.test(character) ? 2 : 1
}

/** Number of cells of a character, as programs count them (`wcwidth`). */
export function cellWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < firstSpecial) {
    return codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0) ? 0 : 1
  }
  const before = known.get(codePoint)
  if (before !== undefined) {
    return before
  }
  const width = measure(codePoint)
  if (known.size < maxKnown) {
    known.set(codePoint, width)
  }
  return width
}

// Packs character properties as xterm does: width, and whether the character joins the previous one.
const widthOf = (properties: number) => (properties >> 1) & 3
const pack = (width: number, isJoined: boolean) => (width << 1) | Number(isJoined)

/** Replaces xterm's table, which is Unicode 6, where emoji are narrow. */
export const currentWidths: IUnicodeVersionProvider = {
  version: 'current',
  wcwidth: cellWidth,
  charProperties(codePoint, preceding) {
    const width = cellWidth(codePoint)
    const isJoined = width === 0 && preceding !== 0 && widthOf(preceding) > 0
    return pack(isJoined ? widthOf(preceding) : width, isJoined)
  },
}
