/** Maximum length of a line on screen, and of all lines together. */
const longestLine = 4_000
const mostCharacters = 2_000_000

/** Last lines of a text that grows. */
export class TailLines {
  readonly #most: number
  #lines: string[] = []
  /** Whether the last line goes on with the next text. */
  #isOpen = false

  constructor(most: number) {
    this.#most = most
  }

  get lines(): readonly string[] {
    return this.#lines
  }

  /** Adds text, which may begin and end within a line. */
  add(text: string): void {
    if (text === '') {
      return
    }
    const pieces = text.split('\n')
    if (this.#isOpen) {
      pieces[0] = (this.#lines.pop() ?? '') + pieces[0]!
    }
    this.#isOpen = pieces.at(-1) !== ''
    this.#push(this.#isOpen ? pieces : pieces.slice(0, -1))
  }

  /** Adds a line of this page between lines of the file. */
  addNote(note: string): void {
    this.#push([note])
    this.#isOpen = false
  }

  #push(lines: readonly string[]): void {
    const cut = lines.map((line) => line.replace(/\r$/, '').slice(0, longestLine))
    const all = [...this.#lines, ...cut].slice(-this.#most)
    let characters = all.reduce((sum, { length }) => sum + length, 0)
    const kept = all.findIndex(({ length }) => {
      const fits = characters <= mostCharacters
      characters -= length
      return fits
    })
    this.#lines = all.slice(Math.max(0, kept))
  }
}
