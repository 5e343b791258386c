import { describe, expect, test } from 'vitest'
import { createLineEditor } from '../../../../renderer/features/terminal/line-editor.ts'

const up = '\x1b[A'
const down = '\x1b[B'
const right = '\x1b[C'
const left = '\x1b[D'
const backspace = '\x7f'

/** Editor on a screen with one line; returns the visible line and the sent lines. */
function startEditor() {
  const lines: string[] = []
  const asked: unknown[] = []
  let cells: string[] = []
  let cursor = 0
  const write = (text: string) => {
    for (const [token] of text.matchAll(/\x1b\[[?0-9]*[a-zA-Z]|[^]/gu)) {
      if (token === '\b') {
        cursor--
      } else if (token === '\x1b[J') {
        cells = cells.slice(0, cursor)
      } else if (token === '\n') {
        cells = []
        cursor = 0
      } else if (token.length === 1 && token !== '\r') {
        cells[cursor++] = token
      }
    }
  }
  const editor = createLineEditor({
    write,
    submit: (line) => lines.push(line),
    complete: (direction) => asked.push(direction),
    edited: () => asked.push('edited'),
  })
  return { editor, lines, asked, screen: () => `${cells.slice(0, cursor).join('')}|${cells.slice(cursor).join('')}` }
}

describe('editing', () => {
  test.each([
    ['echo', 'echo|'],
    [`ac${left}b`, 'ab|c'],
    [`abc${left}${left}${backspace}`, '|bc'],
    [`abc${left}${left}${right}X`, 'abX|c'],
    [`abc\x1b[HX\x1b[FY`, 'XabcY|'],
    [`abc\x01\x1b[3~`, '|bc'],
    [`abc def${left}${left}\x15`, '|ef'],
    [`abc${left}\x0b`, 'ab|'],
    [`${backspace}${left}a${right}`, 'a|'],
  ])('%j shows %s', (typed, shown) => {
    const { editor, screen } = startEditor()
    editor.type(typed)
    expect(screen()).toBe(shown)
  })

  test('sends a line per Enter, also out of one paste', () => {
    const { editor, lines, screen } = startEditor()
    editor.type('first\rsecond\r\nthird\nrest')
    expect(lines).toEqual(['first', 'second', 'third'])
    expect(screen()).toBe('rest|')
  })

  test('drops the line at Ctrl+C', () => {
    const { editor, lines } = startEditor()
    editor.type('rm -rf\x03ls\r')
    expect(lines).toEqual(['ls'])
  })
})

describe('history', () => {
  test('moves up and down, and returns to the unsent line', () => {
    const { editor, screen } = startEditor()
    editor.type('one\rtwo\rtwo\rdraft')
    const shown = [up, up, up, down, down, down].map((key) => {
      editor.type(key)
      return screen()
    })
    expect(shown).toEqual(['two|', 'one|', 'one|', 'two|', 'draft|', 'draft|'])
  })

  test('sends a recalled line again', () => {
    const { editor, lines } = startEditor()
    editor.type(`one\r${up}!\r`)
    expect(lines).toEqual(['one', 'one!'])
  })
})

describe('output', () => {
  test('is inserted above the line that is being typed', () => {
    const { editor, screen } = startEditor()
    editor.type(`half${left}`)
    editor.print('done\nPS /> ')
    expect(screen()).toBe('PS /> hal|f')
  })
})

// The device can trigger terminal reports, which must never become part of a command.
test.each([
  '\x1b[12;40R',
  '\x1b[?1;2c',
  '\x1b]11;rgb:ffff/ffff/ffff\x1b\\',
  '\x1bP1$r0m\x1b\\',
  '\x1b[?2026;2$y',
  '\x1bOP',
])('the terminal report %j is not treated as typed text', (report) => {
  const { editor, lines } = startEditor()
  editor.type(`a${report}b\r`)
  expect(lines).toEqual(['ab'])
})

describe('completion', () => {
  test.each([
    ['\t', true],
    ['\x1b[Z', false],
    ['\0', null],
  ])('is asked for by the key %j alone', (key, direction) => {
    const { editor, asked } = startEditor()
    editor.type('Get-P')
    editor.type(key)
    expect(asked).toEqual(['edited', direction])
  })

  test('is not asked for by a tab inside of a paste', () => {
    const { editor, asked, screen } = startEditor()
    editor.type('a\tb')
    expect(asked).toEqual(['edited'])
    expect(screen()).toBe('a  b|')
  })

  test('writes another line, with the cursor where it belongs', () => {
    const { editor, lines } = startEditor()
    editor.type(`ls 🎉 x${left}`)
    expect(editor.get()).toEqual({ text: 'ls 🎉 x', cursor: 6 })
    editor.set({ text: 'ls 🎉y x', cursor: 6 })
    editor.type('z\r')
    expect(lines).toEqual(['ls 🎉yz x'])
  })
})
