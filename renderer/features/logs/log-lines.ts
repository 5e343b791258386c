import { shownLine } from './log-text.ts'

/** Maximum number of lines in memory; of a larger log the last ones are kept. */
export const mostLines = 500_000
const spareLines = 50_000
/** Longer lines are split. */
const mostLineLength = 100_000

/** Collects lines from text in arbitrary chunks. */
export class LineCollector {
  readonly lines: string[] = []
  /** Number of lines dropped at the beginning. */
  dropped = 0
  #rest = ''
  readonly #most: number

  constructor(most = mostLines) {
    this.#most = most
  }

  push(text: string): void {
    const parts = (this.#rest + text).split('\n')
    this.#rest = parts.pop() ?? ''
    parts.forEach((part) => this.#add(part.endsWith('\r') ? part.slice(0, -1) : part))
    while (this.#rest.length > mostLineLength) {
      this.#add(this.#rest.slice(0, mostLineLength))
      this.#rest = this.#rest.slice(mostLineLength)
    }
    if (this.lines.length > this.#most + spareLines) {
      this.#trim()
    }
  }

  /** Adds the last line, which may lack a line end. */
  end(): void {
    if (this.#rest !== '') {
      this.#add(this.#rest)
      this.#rest = ''
    }
    this.#trim()
  }

  #add(line: string) {
    this.lines.push(shownLine(line))
  }

  #trim() {
    const over = this.lines.length - this.#most
    if (over > 0) {
      this.lines.splice(0, over)
      this.dropped += over
    }
  }
}

/** Encoding according to the byte order mark: some Windows logs are UTF-16. */
const encodingOf = ([first, second]: Uint8Array) => (first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8')

export interface LogText {
  lines: readonly string[]
  /** Number of lines dropped at the beginning. */
  dropped: number
  bytes: number
}

/** Reads a log to its end; `onProgress` gets the number of received bytes. */
export async function readLog(body: ReadableStream<Uint8Array>, onProgress: (bytes: number) => void): Promise<LogText> {
  const collector = new LineCollector()
  const reader = body.getReader()
  let decoder: TextDecoder | undefined
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) {
      break
    }
    bytes += value.length
    decoder ??= new TextDecoder(encodingOf(value))
    collector.push(decoder.decode(value, { stream: true }))
    onProgress(bytes)
  }
  collector.push(decoder?.decode() ?? '')
  collector.end()
  return { lines: collector.lines, dropped: collector.dropped, bytes }
}

/** Index of the first line of `now` that `before` lacks; 0 if the file was replaced. */
export function firstNewLine(before: LogText, now: LogText): number {
  const known = before.dropped + before.lines.length
  // Compares the line before the last one, which may have been incomplete.
  const [probe, first] = [before.lines.length - 2, before.dropped - now.dropped]
  const isSame = probe < 0 || before.lines[probe] === now.lines[probe + first]
  const isGrown = now.dropped + now.lines.length >= known && now.bytes >= before.bytes
  return isSame && isGrown ? Math.max(0, known - now.dropped) : 0
}
