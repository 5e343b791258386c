/** ANSI color and style sequences, which are removed. */
const looks = /\x1b\[[\d;:]*m/g
const isOdd = /[\p{C}\p{Zl}\p{Zp}]/u
const odd = /[\p{C}\p{Zl}\p{Zp}]/gu

const pictureOfDelete = '\u2421'

/** Replaces a control or invisible character by a visible one. */
function pictured(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (character === '\t') {
    return character
  }
  if (code < 0x20) {
    // Unicode block "Control Pictures".
    return String.fromCodePoint(0x2400 + code)
  }
  return code === 0x7f ? pictureOfDelete : `‹${code.toString(16).toUpperCase().padStart(4, '0')}›`
}

/** Line of a log as harmless text (T18): control and invisible characters are replaced by visible ones. */
export const shownLine = (line: string): string =>
  isOdd.test(line) ? line.replaceAll(looks, '').toWellFormed().replaceAll(odd, pictured) : line

export type Level = 'error' | 'warning' | 'debug'

/** Characters at the beginning of a line in which programs write its level. */
const headLength = 120
const levels: readonly [Level, RegExp][] = [
  ['error', /\b(?:fatal|critical|crit|error|err|emerg|alert)\b/i],
  ['warning', /\b(?:warning|warn|wrn)\b/i],
  ['debug', /\b(?:debug|dbg|trace|trc|verbose)\b/i],
]

/** Level of a line, by the first matching word near its beginning; undefined without one. */
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
