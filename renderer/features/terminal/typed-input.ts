import type { PwshCompletionsResult } from '../../../shared/dtos/pwsh-completions.ts'
import { createCompleter, type CompletionMatch, type CompletionRequest, type Completions } from './completer.ts'
import { createHeldInput } from './held-input.ts'
import { createInputQueue, type TerminalMessage, type TerminalSize } from './input-queue.ts'
import { createLineEditor } from './line-editor.ts'
import type { TerminalKind } from './session-types.ts'

export interface TypedInputOptions {
  /** Writes the line that is being typed. */
  write: (text: string) => void
  /** Rejects when the shell may not have got it. */
  send: (message: TerminalMessage) => Promise<void>
  onUnsent: (error: unknown) => void
  /** What was typed and waits for the person to send or to drop it. */
  onHeld: (text: string) => void
  /** Keystrokes are about to be sent. */
  onKeys: () => void
  complete: (request: CompletionRequest) => Promise<PwshCompletionsResult>
  onCompletions: (completions: Completions | undefined) => void
}

/**
 * What is typed, on its way to the shell: keystrokes as they come, or line by line. What nobody could see the effect of
 * is held until the person says what becomes of it.
 */
export class TypedInput {
  readonly #options: TypedInputOptions
  readonly #held
  readonly #queue
  readonly #editor
  readonly #completer
  /** Of the shell that takes it; unknown until there is one. */
  #kind: TerminalKind | undefined

  constructor(options: TypedInputOptions) {
    this.#options = options
    this.#held = createHeldInput(options.onHeld)
    this.#queue = createInputQueue((message) => this.#send(message), options.onUnsent)
    this.#editor = createLineEditor({
      write: options.write,
      // An empty line is sent too: it may be the answer to a question of the running command.
      submit: this.#queue.line,
      complete: (direction) => void this.#completer.complete(direction),
      edited: () => this.#completer.forget(),
    })
    this.#completer = createCompleter({ line: this.#editor, ask: options.complete, show: options.onCompletions })
  }

  /** Nothing is sent until `begin` and `release`. */
  expect(): void {
    this.#kind = undefined
    this.#queue.hold()
  }

  /** A shell of this kind will take what is typed, from `release` on. */
  begin(kind: TerminalKind): void {
    this.#kind = kind
  }

  release(): void {
    this.#queue.release()
  }

  /** The shell does not answer: what it did not get waits for the person. */
  lose(): void {
    this.#queue.hold()
    this.#held.add(this.#queue.takeBack())
  }

  /** The shell has ended: what it did not get is forgotten. */
  end(): void {
    this.#queue.hold()
    this.clear()
  }

  /** Forgets what is on its way to the shell. */
  clear(): void {
    this.#queue.clear()
  }

  /** Takes keystrokes. `isAnswered`: a shell is there, and shows what they do. */
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

  /** Prints output above the line that is being typed. */
  print(output: string): void {
    this.#editor.print(output)
  }

  /** Puts a completion into the line. */
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
      // Whether it arrived is often unknown: the person decides, with the screen in sight.
      this.#held.add(this.#kind === 'line' ? `${message.input}\r` : message.input)
      throw error
    }
  }
}
