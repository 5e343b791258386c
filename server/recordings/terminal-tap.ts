import { recordingEntries } from '../../shared/recording-entries.ts'
import type { SegmentBuilder } from './segments.ts'

interface TerminalTapOptions {
  builder: SegmentBuilder
  /** Milliseconds since the start of the recorder. */
  now: () => number
}

/** Stores the output of a terminal as events of asciicast v2. Input is left out: shells ask for passwords. */
export class TerminalTap {
  readonly #options: TerminalTapOptions
  #size = ''

  constructor(options: TerminalTapOptions) {
    this.#options = options
  }

  output(text: string): void {
    if (text !== '') {
      this.#add('o', text)
    }
  }

  resize(columns: number, rows: number): void {
    const size = `${columns}x${rows}`
    if (size !== this.#size) {
      this.#size = size
      this.#add('r', size)
    }
  }

  #add(code: 'o' | 'r', data: string) {
    const { builder, now } = this.#options
    const at = now()
    if (builder.hasNoEntries) {
      // A segment says its size, so that it can be shown by itself.
      builder.beginKey(at)
      if (code === 'o' && this.#size !== '') {
        this.#addEvent(at, 'r', this.#size)
      }
    }
    this.#addEvent(at, code, data)
  }

  #addEvent(at: number, code: 'o' | 'r', data: string) {
    const { builder } = this.#options
    builder.add(recordingEntries.terminal, at, Buffer.from(JSON.stringify([at / 1000, code, data])))
  }
}
