/** Whoever reads a log of the agent in a terminal runs no escape sequence that a user of the device has put there. */
import { expect, test } from 'vitest'
import { createLog } from '../../agent/log.ts'

test.each(['\u001b]0;title\u0007', 'a\u009b2J', 'a \u001b[2J b', 'a \u009b2J', '\u202egnp.exe', 'a "\u007f\u2066'])(
  'a log line has %j in letters only',
  (text) => {
    let written = ''
    createLog([(line) => (written += line)]).warn({ said: text }, 'From a desktop')
    expect(written.trimEnd()).not.toMatch(/\p{C}/u)
    expect(JSON.parse(/said=(".*")$/.exec(written.trimEnd())![1]!)).toBe(text)
  },
)
