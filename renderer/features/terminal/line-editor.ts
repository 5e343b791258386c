import { cellWidth } from './cell-width.ts'

const maxHistory = 200

// Matches one key, one terminal report, or a run of plain text. Sequences are matched whole, so that parts of an
// unknown one are never taken for text.
const tokens =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.?|\r\n|[\0-\x1f\x7f]|[^\0-\x1f\x7f]+/gsu

/** Width of characters on the screen, in cells. */
const widthOf = (characters: readonly string[]) =>
  characters.reduce((width, character) => width + cellWidth(character.codePointAt(0)!), 0)

// Lets backspace move back over a line that the terminal has wrapped.
const reverseWrap = '\x1b[?45h'
const back = (cells: number) => '\b'.repeat(cells)
const clearBelow = '\x1b[J'

export interface LineEditorOptions {
  write: (text: string) => void
  submit: (line: string) => void
  /** Requests completions: the next (true), the previous (false), or all (null). */
  complete: (direction: boolean | null) => void
  /** Called when the user has changed the line. */
  edited: () => void
}

/** Line and cursor position, in UTF-16 units like PowerShell. */
export interface EditedLine {
  text: string
  cursor: number
}

// The sequences that the terminal sends for these keys. A tab inside a paste is no key.
const completionKeys: Record<string, boolean | null> = { '\t': true, '\x1b[Z': false, '\0': null }

/** Editable line that is redrawn in the terminal at every change. */
function createLine(write: (text: string) => void) {
  let line: string[] = []
  let cursor = 0

  const before = () => line.slice(0, cursor)
  const after = () => line.slice(cursor)
  const drawAfter = () => write(after().join('') + clearBelow + back(widthOf(after())))
  const erase = () => write(back(widthOf(before())) + clearBelow)

  function replace(text: string) {
    erase()
    line = [...text]
    cursor = line.length
    write(text)
  }

  function insert(text: string) {
    const characters = [...text]
    line.splice(cursor, 0, ...characters)
    cursor += characters.length
    write(text)
    drawAfter()
  }

  function remove(from: number, to: number) {
    if (from === to) {
      return
    }
    write(back(widthOf(line.slice(from, cursor))))
    line.splice(from, to - from)
    cursor = from
    drawAfter()
  }

  function moveTo(position: number) {
    const next = Math.min(line.length, Math.max(0, position))
    write(next < cursor ? back(widthOf(line.slice(next, cursor))) : line.slice(cursor, next).join(''))
    cursor = next
  }

  return {
    replace,
    insert,
    moveTo,
    get text() {
      return line.join('')
    },
    /** Position of the cursor, in characters. */
    get cursor() {
      return cursor
    },
    get length() {
      return line.length
    },
    /** Position of the cursor, in UTF-16 units. */
    get units() {
      return before().join('').length
    },
    /** Removes the characters between two positions. */
    remove: (from: number, to: number) => remove(Math.max(0, from), Math.min(line.length, to)),
    /** Ends the line in the terminal, with `mark` after it, and begins an empty one. */
    end(mark = '') {
      moveTo(line.length)
      write(`${mark}\r\n`)
      line = []
      cursor = 0
    },
    /** Prints output above the line. */
    print(output: string) {
      erase()
      write(output + reverseWrap + line.join('') + back(widthOf(after())))
    },
  }
}

/** Line editor for a shell that takes whole lines: cursor, history, and output that arrives meanwhile. */
export function createLineEditor({ write, submit, complete, edited }: LineEditorOptions) {
  const line = createLine(write)
  const history: string[] = []
  let recalled = 0
  let draft = ''

  function recall(step: number) {
    const next = recalled + step
    if (next < 0 || next > history.length) {
      return
    }
    draft = recalled === history.length ? line.text : draft
    recalled = next
    line.replace(history[next] ?? draft)
  }

  function finish() {
    const { text } = line
    if (text.trim() !== '' && history.at(-1) !== text) {
      history.push(text)
      history.splice(0, history.length - maxHistory)
    }
    line.end()
    recalled = history.length
    submit(text)
  }

  const keys: Record<string, () => void> = {
    '\r': finish,
    '\n': finish,
    '\r\n': finish,
    '\x7f': () => line.remove(line.cursor - 1, line.cursor),
    '\b': () => line.remove(line.cursor - 1, line.cursor),
    '\x1b[3~': () => line.remove(line.cursor, line.cursor + 1),
    '\x04': () => line.remove(line.cursor, line.cursor + 1),
    '\x03': () => {
      line.end('^C')
      recalled = history.length
    },
    '\x15': () => line.remove(0, line.cursor),
    '\x0b': () => line.remove(line.cursor, line.length),
    '\x01': () => line.moveTo(0),
    '\x05': () => line.moveTo(line.length),
    '\x1b[H': () => line.moveTo(0),
    '\x1b[F': () => line.moveTo(line.length),
    '\x1b[D': () => line.moveTo(line.cursor - 1),
    '\x1b[C': () => line.moveTo(line.cursor + 1),
    '\x1b[A': () => recall(-1),
    '\x1b[B': () => recall(1),
  }

  return {
    /** Handles input of the keyboard, the clipboard or the terminal itself. */
    type(data: string) {
      const direction = Object.hasOwn(completionKeys, data) ? completionKeys[data] : undefined
      if (direction !== undefined) {
        complete(direction)
        return
      }
      edited()
      for (const [token] of data.matchAll(tokens)) {
        const key = Object.hasOwn(keys, token) ? keys[token] : undefined
        if (key) {
          key()
        } else if (token === '\t' || token >= ' ') {
          line.insert(token === '\t' ? '  ' : token)
        }
      }
    },
    get: (): EditedLine => ({ text: line.text, cursor: line.units }),
    /** Replaces the line. */
    set({ text, cursor: units }: EditedLine) {
      line.replace(text)
      line.moveTo(Array.from(text.slice(0, units)).length)
    },
    print: line.print,
  }
}
