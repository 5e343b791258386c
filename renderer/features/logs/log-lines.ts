import { shownLine } from './log-text.ts'

/** More than anybody reads; of a larger log the last lines are shown. */
export const mostLines = 500_000
const spareLines = 50_000
/** Without an end after so many characters, what follows counts as the next line. */
const mostLineLength = 100_000

/** Lines of text that arrives in pieces, cut anywhere. */
export class LineCollector {
  readonly lines: string[] = []
  /** Lines before the first one that is kept. */
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

  /** What stands behind the last line end is a line as well. */
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

/** Windows writes some logs in another encoding, and says so in their first bytes. */
const encodingOf = ([first, second]: Uint8Array) => (first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8')

export interface LogText {
  lines: readonly string[]
  /** Lines before the first one that is kept. */
  dropped: number
  bytes: number
}

/** Reads a log to its end; `onProgress` gets the bytes that have come. */
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

/**
 * From which line on `now` is new to somebody who has seen `before`: the first line that has come since, or 0 when the
 * file was begun anew.
 */
export function firstNewLine(before: LogText, now: LogText): number {
  const known = before.dropped + before.lines.length
  // The last line may have been half written when it was read.
  const [probe, first] = [before.lines.length - 2, before.dropped - now.dropped]
  const isSame = probe < 0 || before.lines[probe] === now.lines[probe + first]
  const isGrown = now.dropped + now.lines.length >= known && now.bytes >= before.bytes
  return isSame && isGrown ? Math.max(0, known - now.dropped) : 0
}
