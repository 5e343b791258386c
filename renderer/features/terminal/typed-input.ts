import type { PwshCompletionsResult } from '../../../shared/dtos/pwsh-completions.ts'
import { createCompleter, type CompletionMatch, type CompletionRequest, type Completions } from './completer.ts'
import { createHeldInput } from './held-input.ts'
import { createInputQueue, type TerminalMessage, type TerminalSize } from './input-queue.ts'
import { createLineEditor } from './line-editor.ts'
import type { TerminalKind } from './session-types.ts'

export interface TypedInputOptions {
  /** Draws the line being edited. */
  write: (text: string) => void
  /** Rejects if the shell may not have received the message. */
  send: (message: TerminalMessage) => Promise<void>
  onUnsent: (error: unknown) => void
  /** Called with the input that waits for the user to send or discard it. */
  onHeld: (text: string) => void
  /** Called before keystrokes are sent. */
  onKeys: () => void
  complete: (request: CompletionRequest) => Promise<PwshCompletionsResult>
  onCompletions: (completions: Completions | undefined) => void
}

/**
 * Input of a terminal: keystrokes, or edited lines. Input whose effect would be invisible is held until the user sends
 * or discards it.
 */
export class TypedInput {
  readonly #options: TypedInputOptions
  readonly #held
  readonly #queue
  readonly #editor
  readonly #completer
  /** Kind of the current shell; undefined without one. */
  #kind: TerminalKind | undefined

  constructor(options: TypedInputOptions) {
    this.#options = options
    this.#held = createHeldInput(options.onHeld)
    this.#queue = createInputQueue((message) => this.#send(message), options.onUnsent)
    this.#editor = createLineEditor({
      write: options.write,
      // An empty line is sent too: it may answer a question of the running command.
      submit: this.#queue.line,
      complete: (direction) => void this.#completer.complete(direction),
      edited: () => this.#completer.forget(),
    })
    this.#completer = createCompleter({ line: this.#editor, ask: options.complete, show: options.onCompletions })
  }

  /** Stops sending until `begin` and `release`. */
  expect(): void {
    this.#kind = undefined
    this.#queue.hold()
  }

  /** Sets the kind of the new shell; input is sent from `release` on. */
  begin(kind: TerminalKind): void {
    this.#kind = kind
  }

  release(): void {
    this.#queue.release()
  }

  /** Holds unsent input for the user, since the shell does not respond. */
  lose(): void {
    this.#queue.hold()
    this.#held.add(this.#queue.takeBack())
  }

  /** Discards unsent input after the shell has exited. */
  end(): void {
    this.#queue.hold()
    this.clear()
  }

  /** Discards unsent input. */
  clear(): void {
    this.#queue.clear()
  }

  /** Handles keystrokes. `isAnswered`: a shell is running and responds. */
  type(data: string, isAnswered: boolean): void {
    if (isAnswered && this.#held.isEmpty()) {
      this.#deliver(data)
    } else {
      this.#held.add(data)
    }
  }

  sendHeld(): void {
    this.#deliver(this.#held.take())
  }

  dropHeld(): void {
    this.#held.take()
  }

  resize(size: TerminalSize): void {
    this.#queue.resize(size)
  }

  /** Prints output above the line being edited. */
  print(output: string): void {
    this.#editor.print(output)
  }

  /** Inserts a completion into the line. */
  pick(match: CompletionMatch): void {
    this.#completer.pick(match)
  }

  forgetCompletions(): void {
    this.#completer.forget()
  }

  #deliver(text: string) {
    if (this.#kind === 'line') {
      this.#editor.type(text)
    } else if (text !== '') {
      this.#options.onKeys()
      this.#queue.type(text)
    }
  }

  async #send(message: TerminalMessage) {
    try {
      await this.#options.send(message)
    } catch (error) {
      // The message may have arrived, so the user decides whether to send it again.
      this.#held.add(this.#kind === 'line' ? `${message.input}\r` : message.input)
      throw error
    }
  }
}
