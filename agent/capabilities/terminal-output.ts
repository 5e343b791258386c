/** Maximum text length of one message; similar to other agents. */
export const maxPieceLength = 20_000

/** Amount of recent output kept for viewers that reconnect. */
export const replayLength = 256 * 1024

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

/** Chunk length: single characters are gathered into strings of about this length. */
const chunkLength = 4096

/** Recent output of a terminal: output queued for sending, preceded by output already sent. */
export class TerminalOutput {
  #waiting: string[] = []
  #waitingLength = 0
  #sent: string[] = []
  #sentLength = 0
  #isComplete = true
  /** Length of the queued output that was sent before. */
  #pastLength = 0

  /** Whether the next piece was sent before. */
  get isPast() {
    return this.#pastLength > 0
  }

  get waitingLength() {
    return this.#waitingLength
  }

  append(text: string): void {
    this.#waiting.push(text)
    this.#waitingLength += text.length
  }

  /** Dequeues the next piece, never splitting a surrogate pair; undefined if the queue is empty. */
  take(): string | undefined {
    let piece = ''
    const limit = this.isPast ? Math.min(this.#pastLength, maxPieceLength) : maxPieceLength
    while (piece.length < limit && this.#waiting.length > 0) {
      piece += this.#waiting.shift() ?? ''
    }
    if (piece.length > limit) {
      const end = limit - (limit > 1 && isHighSurrogate(piece.charCodeAt(limit - 1)) ? 1 : 0)
      this.#waiting.unshift(piece.slice(end))
      piece = piece.slice(0, end)
    }
    this.#waitingLength -= piece.length
    this.#pastLength = Math.max(0, this.#pastLength - piece.length)
    this.#keep(piece)
    return piece === '' ? undefined : piece
  }

  #keep(piece: string) {
    const last = this.#sent.at(-1)
    if (last !== undefined && last.length + piece.length <= chunkLength) {
      this.#sent[this.#sent.length - 1] = last + piece
    } else {
      this.#sent.push(piece)
    }
    this.#sentLength += piece.length
    for (let [first = ''] = this.#sent; this.#sentLength - first.length >= replayLength; [first = ''] = this.#sent) {
      this.#sent.shift()
      this.#sentLength -= first.length
      this.#isComplete = false
    }
  }

  /** Queues all kept output again. If older output was lost, starts at a line break, not inside an escape sequence. */
  rewind(): void {
    const text = [...this.#sent, ...this.#waiting].join('')
    const isWhole = this.#isComplete && text.length <= replayLength
    const recent = text.slice(-replayLength)
    const kept = isWhole ? text : recent.slice(recent.indexOf('\n') + 1)
    this.#isComplete = isWhole
    this.#pastLength = Math.max(0, kept.length - (this.#waitingLength - this.#pastLength))
    this.#sent = []
    this.#sentLength = 0
    this.#waiting = [kept]
    this.#waitingLength = kept.length
  }

  /** Marks queued output as sent, as no viewer is connected. */
  skip(): void {
    this.#waiting.forEach((text) => this.#keep(text))
    this.#waiting = []
    this.#waitingLength = 0
    this.#pastLength = 0
  }
}
