import type { PwshCompletionsResult } from '../../../shared/dtos/pwsh-completions.ts'
import { createCompleter, type CompletionRequest, type Completions } from './completer.ts'
import { createPendingInput } from './pending-input.ts'
import { createLineEditor } from './line-editor.ts'
import type { TerminalKind, TerminalMessage, TerminalSize } from './session-types.ts'

/** Below the size limit of a hub message, even if every character takes four bytes and is escaped. */
const maxCharacters = 4_096

/** Number of code units of a long text to send, without splitting a character. */
function cutLength(text: string) {
  const last = text.charCodeAt(maxCharacters - 1)
  return last >= 0xd800 && last < 0xdc00 ? maxCharacters - 1 : maxCharacters
}

/** Unsent input. Keystrokes may be joined and split; a line is sent as a whole. */
interface Waiting {
  text: string
  isLine: boolean
  /** An answer to a query of a program is not joined with keystrokes: the server passes on that of one viewer alone. */
  isReport?: boolean
}

const asTyped = ({ text, isLine }: Waiting) => (isLine ? `${text}\r` : text)

export interface TypedInputOptions {
  /** Draws the line being edited. */
  write: (text: string) => void
  /** Rejects if the shell may not have received the message. */
  send: (message: TerminalMessage) => Promise<void>
  onUnsent: (error: unknown) => void
  /** Called with the input that waits for the user to send or discard it. */
  onPending: (text: string) => void
  /** Called before keystrokes are sent. */
  onKeys: () => void
  complete: (request: CompletionRequest) => Promise<PwshCompletionsResult>
  onCompletions: (completions: Completions | undefined) => void
}

/**
 * Input of a terminal: keystrokes, or edited lines. Sends one call at a time, so that calls stay in order; input typed
 * meanwhile is joined into the next call. Input whose effect would be invisible waits until the user sends or discards
 * it.
 */
export class TypedInput {
  readonly editor
  readonly completer
  readonly #options: TypedInputOptions
  readonly #pending
  /** Kind of the current shell; undefined without one. */
  #kind: TerminalKind | undefined
  #waiting: Waiting[] = []
  #size: TerminalSize | undefined
  #isSending = false
  #isPaused = true

  constructor(options: TypedInputOptions) {
    this.#options = options
    this.#pending = createPendingInput(options.onPending)
    this.editor = createLineEditor({
      write: options.write,
      // An empty line is sent too: it may answer a question of the running command.
      submit: (line) => this.#send({ text: line, isLine: true }),
      complete: (direction) => void this.completer.complete(direction),
      edited: () => this.completer.forget(),
    })
    this.completer = createCompleter({ line: this.editor, ask: options.complete, show: options.onCompletions })
  }

  /** Stops sending until `begin` and `release`. */
  expect(): void {
    this.#kind = undefined
    this.#isPaused = true
  }

  /** Sets the kind of the new shell; input is sent from `release` on. */
  begin(kind: TerminalKind): void {
    this.#kind = kind
  }

  release(): void {
    this.#isPaused = false
    void this.#run()
  }

  /** Holds unsent input for the user, since the shell does not respond. */
  lose(): void {
    this.#isPaused = true
    this.#pending.add(
      this.#waiting
        .filter(({ isReport }) => !isReport)
        .map(asTyped)
        .join(''),
    )
    this.#waiting = []
  }

  /** Discards unsent input after the shell has exited. */
  end(): void {
    this.#isPaused = true
    this.clear()
  }

  /** Discards unsent input. */
  clear(): void {
    this.#waiting = []
    this.#size = undefined
  }

  /** Handles keystrokes. `isAnswered`: a shell is running and responds. */
  type(data: string, isAnswered: boolean): void {
    if (isAnswered && this.#pending.isEmpty()) {
      this.#deliver(data)
    } else {
      this.#pending.add(data)
    }
  }

  /** Sends the answer of the terminal to a query of a program; dropped where no shell waits for it. */
  report(data: string): void {
    if (this.#kind === 'pty' && this.#pending.isEmpty()) {
      this.#send({ text: data, isLine: false, isReport: true })
    }
  }

  sendPending(): void {
    this.#deliver(this.#pending.take())
  }

  dropPending(): void {
    this.#pending.take()
  }

  resize(size: TerminalSize): void {
    this.#size = size
    void this.#run()
  }

  #deliver(text: string) {
    if (this.#kind === 'line') {
      this.editor.type(text)
    } else if (text !== '') {
      this.#options.onKeys()
      this.#send({ text, isLine: false })
    }
  }

  #send(next: Waiting) {
    const last = this.#waiting.at(-1)
    if (last && !last.isLine && !next.isLine && last.isReport === next.isReport) {
      last.text += next.text
    } else {
      this.#waiting.push(next)
    }
    void this.#run()
  }

  #take(): Waiting {
    const first = this.#waiting[0]
    if (!first || first.isLine || first.text.length <= maxCharacters) {
      return this.#waiting.shift() ?? { text: '', isLine: false }
    }
    const length = cutLength(first.text)
    const text = first.text.slice(0, length)
    first.text = first.text.slice(length)
    return { ...first, text }
  }

  async #run() {
    if (this.#isSending) {
      return
    }
    this.#isSending = true
    while (!this.#isPaused && (this.#waiting.length > 0 || this.#size)) {
      const next = this.#take()
      const message = { input: next.text, ...(next.isReport && { isReport: true }), ...this.#size }
      this.#size = undefined
      try {
        await this.#options.send(message)
      } catch (error) {
        // The message may have arrived, so the user decides whether to send it again.
        this.#isPaused = true
        this.#pending.add(next.isReport ? '' : asTyped(next))
        this.#options.onUnsent(error)
      }
    }
    this.#isSending = false
  }
}
