import { describe, expect, test } from 'vitest'
import { levelOf, shownLine } from '../../../../renderer/features/logs/log-text.ts'

// T18: logs contain text of untrusted programs and people.
describe('a line of a log', () => {
  test.each([
    ['plain text', 'a\tb äöü 日本', 'a\tb äöü 日本'],
    ['colors', '\x1b[1;31mred\x1b[0m', 'red'],
    ['other escape sequences', '\x1b]52;c;AAAA\x07', '␛]52;c;AAAA␇'],
    ['characters that turn the direction', 'abc\u202etxt', 'abc‹202E›txt'],
    ['characters without width', 'a\u200bb\ufeff', 'a‹200B›b‹FEFF›'],
    ['control characters of the second kind', '\x9b31m', '‹009B›31m'],
    ['line ends of Unicode', 'a\u2028b', 'a‹2028›b'],
    ['half a character', '\ud800', '\ufffd'],
  ])('shows %s harmlessly', (_, line, shown) => {
    expect(shownLine(line)).toBe(shown)
  })
})

describe('the level of a line', () => {
  test.each([
    ['2026-01-02T03:04:05Z ERROR It failed', 'error'],
    ['[warn] careful', 'warning'],
    ['DEBUG error=none', 'debug'],
    ['INFO all is well', undefined],
    ['terrorist warned', undefined],
    [`${'x '.repeat(100)} error`, undefined],
  ])('of %j', (line, level) => {
    expect(levelOf(line)).toBe(level)
  })
})
