/** Colours and other looks that programs give their lines. They say nothing here, so they are left out. */
const looks = /\x1b\[[\d;:]*m/g
const isOdd = /[\p{C}\p{Zl}\p{Zp}]/u
const odd = /[\p{C}\p{Zl}\p{Zp}]/gu

const pictureOfDelete = '\u2421'

/** A character that is not to be seen, or does something, as one that is seen and does nothing. */
function pictured(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (character === '\t') {
    return character
  }
  if (code < 0x20) {
    // The block of Unicode that has a picture for each of them.
    return String.fromCodePoint(0x2400 + code)
  }
  return code === 0x7f ? pictureOfDelete : `‹${code.toString(16).toUpperCase().padStart(4, '0')}›`
}

/** A line of a log as harmless text (T18): what is no letter, sign or space is shown and does nothing. */
export const shownLine = (line: string): string =>
  isOdd.test(line) ? line.replaceAll(looks, '').toWellFormed().replaceAll(odd, pictured) : line

export type Level = 'error' | 'warning' | 'debug'

/** Where programs write how grave a line is. */
const headLength = 120
const levels: readonly [Level, RegExp][] = [
  ['error', /\b(?:fatal|critical|crit|error|err|emerg|alert)\b/i],
  ['warning', /\b(?:warning|warn|wrn)\b/i],
  ['debug', /\b(?:debug|dbg|trace|trc|verbose)\b/i],
]

/** How grave a line is, by the first of these words near its beginning; undefined for all others. */
export function levelOf(line: string): Level | undefined {
  const head = line.slice(0, headLength)
  let first = Infinity
  let found: Level | undefined
  for (const [level, words] of levels) {
    const at = words.exec(head)?.index
    if (at !== undefined && at < first) {
      first = at
      found = level
    }
  }
  return found
}
