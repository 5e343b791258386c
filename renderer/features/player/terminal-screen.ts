import { recordingEntries, type RecordingEntry } from '../../../shared/recording-entries.ts'
import type { Xterm } from '../terminal/xterm.ts'
import type { Screen } from './playback.ts'

/** Writes that may wait in the terminal. */
const maxWaiting = 50
/** Largest size that a recording may give the terminal: a device can write any. */
const largest = { columns: 500, rows: 200 }

const sideOf = (text: string | undefined, most: number) => {
  const side = Math.trunc(Number(text))
  return side >= 1 ? Math.min(side, most) : undefined
}

/** Shows a recorded terminal by the terminal of the page. Nothing answers: the page sends no input of it anywhere. */
export class TerminalScreen implements Screen {
  readonly needsAll = true
  readonly isBlank = false
  readonly #xterm: Xterm
  #waiting = 0

  constructor(xterm: Xterm) {
    this.#xterm = xterm
    xterm.terminal.options.disableStdin = true
    xterm.terminal.options.cursorBlink = false
  }

  reset(): void {
    this.#xterm.terminal.reset()
  }

  async show({ kind, content }: RecordingEntry): Promise<void> {
    if (kind !== recordingEntries.terminal) {
      return
    }
    const [, code, data] = JSON.parse(new TextDecoder().decode(content)) as [number, string, string]
    if (code === 'r') {
      const [width, height] = data.split('x')
      const [columns, rows] = [sideOf(width, largest.columns), sideOf(height, largest.rows)]
      if (columns !== undefined && rows !== undefined) {
        this.#xterm.follow({ columns, rows })
      }
      return
    }
    this.#waiting++
    const drawn = new Promise<void>((resolve) => this.#xterm.write(data, resolve)).then(() => void this.#waiting--)
    if (this.#waiting > maxWaiting) {
      await drawn
    }
  }

  settled(): Promise<void> {
    return new Promise((resolve) => this.#xterm.write('', resolve))
  }
}
