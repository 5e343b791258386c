import { cellWidth } from './cell-width.ts'

const maxHistory = 200

// One key or one report of the terminal about itself, or a run of plain text. Sequences are matched whole, so that the
// parts of an unknown one are never taken for text.
const tokens =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.?|\r\n|[\0-\x1f\x7f]|[^\0-\x1f\x7f]+/gsu

/** Cells that characters take on the screen. */
const widthOf = (characters: readonly string[]) =>
  characters.reduce((width, character) => width + cellWidth(character.codePointAt(0)!), 0)

// Lets backspace go back over a line that the terminal has wrapped.
const reverseWrap = '\x1b[?45h'
const back = (cells: number) => '\b'.repeat(cells)
const clearBelow = '\x1b[J'

export interface LineEditorOptions {
  write: (text: string) => void
  submit: (line: string) => void
  /** Asks for what the line could become: the next (true), the one before, or all of it. */
  complete: (direction: boolean | null) => void
  /** The line has changed by hand. */
  edited: () => void
}

/** A line and where its cursor is, in UTF-16 units, as PowerShell counts. */
export interface EditedLine {
  text: string
  cursor: number
}

// As the keys come from the terminal. A tab inside of a paste is no key.
const completionKeys: Record<string, boolean | null> = { '\t': true, '\x1b[Z': false, '\0': null }

/** Edits a line in a terminal whose other end takes whole lines: cursor, history, and output that arrives in between. */
export function createLineEditor({ write, submit, complete, edited }: LineEditorOptions) {
  let line: string[] = []
  let cursor = 0
  const history: string[] = []
  let recalled = 0
  let draft = ''

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

  function recall(step: number) {
    const next = recalled + step
    if (next < 0 || next > history.length) {
      return
    }
    draft = recalled === history.length ? line.join('') : draft
    recalled = next
    replace(history[next] ?? draft)
  }

  function finish() {
    const text = line.join('')
    moveTo(line.length)
    write('\r\n')
    if (text.trim() !== '' && history.at(-1) !== text) {
      history.push(text)
      history.splice(0, history.length - maxHistory)
    }
    line = []
    cursor = 0
    recalled = history.length
    submit(text)
  }

  const keys: Record<string, () => void> = {
    '\r': finish,
    '\n': finish,
    '\r\n': finish,
    '\x7f': () => remove(Math.max(0, cursor - 1), cursor),
    '\b': () => remove(Math.max(0, cursor - 1), cursor),
    '\x1b[3~': () => remove(cursor, Math.min(line.length, cursor + 1)),
    '\x04': () => remove(cursor, Math.min(line.length, cursor + 1)),
    '\x03': () => {
      moveTo(line.length)
      write('^C\r\n')
      line = []
      cursor = 0
      recalled = history.length
    },
    '\x15': () => remove(0, cursor),
    '\x0b': () => remove(cursor, line.length),
    '\x01': () => moveTo(0),
    '\x05': () => moveTo(line.length),
    '\x1b[H': () => moveTo(0),
    '\x1b[F': () => moveTo(line.length),
    '\x1b[D': () => moveTo(cursor - 1),
    '\x1b[C': () => moveTo(cursor + 1),
    '\x1b[A': () => recall(-1),
    '\x1b[B': () => recall(1),
  }

  return {
    /** Takes what the keyboard, the clipboard or the terminal itself sent. */
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
          insert(token === '\t' ? '  ' : token)
        }
      }
    },
    get: (): EditedLine => ({ text: line.join(''), cursor: before().join('').length }),
    /** Writes another line in place of this one. */
    set({ text, cursor: units }: EditedLine) {
      replace(text)
      moveTo(Array.from(text.slice(0, units)).length)
    },
    /** Prints output above the line that is being typed. */
    print(output: string) {
      erase()
      write(output + reverseWrap + line.join('') + back(widthOf(after())))
    },
  }
}
