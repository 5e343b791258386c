import type { TerminalOutputDto } from '../../../shared/dtos/terminal.ts'
import { maxWaiting } from './bounded-writer.ts'
import * as t from '../../texts.ts'
import type { Screen, TerminalKind, TerminalSize } from './session-types.ts'

const standardError = 1
const red = (text: string) => `\x1b[31m${text}\x1b[39m`
const note = (text: string) => `\r\n\x1b[90m${text}\x1b[39m\r\n`
// Resets the state that a full-screen program of the previous shell may have left: alternate screen, modes, colors.
const leaveProgram = '\x1b[?1049l\x1b[!p\x1b[?1000;1002;1003;1004;1006;2004l\x1b[0m'

interface ShellOutputOptions {
  screen: Pick<Screen, 'write' | 'reset'>
  /** Prints above the line being edited. */
  print: (output: string) => void
  /** Called when another viewer has set the size. */
  onSize: (size: TerminalSize) => void
  onExit: () => void
}

/** Writes the output of a shell to the screen. */
export class ShellOutput {
  readonly #options: ShellOutputOptions
  /** Undefined until the agent has answered; earlier output is queued in `#early`. */
  #kind: TerminalKind | undefined
  #early: TerminalOutputDto[] = []
  #earlyLength = 0

  constructor(options: ShellOutputOptions) {
    this.#options = options
  }

  /** Prepares for another shell: output is queued until `begin`. */
  expect(): void {
    this.#kind = undefined
    this.#early = []
    this.#earlyLength = 0
  }

  /** Prints a note that another shell has started. */
  nameAnother(): void {
    this.#options.screen.write(leaveProgram + note(t.terminal.newShellLine))
  }

  /** Prints the queued output; later output is printed at once. */
  begin(kind: TerminalKind): void {
    this.#kind = kind
    const outputs = this.#early
    this.#early = []
    outputs.forEach((output) => this.#show(output))
  }

  receive(output: TerminalOutputDto): void {
    if (this.#kind) {
      this.#show(output)
    } else if (this.#earlyLength + output.output.length <= maxWaiting) {
      this.#earlyLength += output.output.length
      this.#early.push(output)
    }
  }

  #show({ output, outputKind, isReplay, isPast, isExit, columns, rows }: TerminalOutputDto) {
    const { screen, print, onSize, onExit } = this.#options
    if (columns !== undefined && rows !== undefined) {
      onSize({ columns, rows })
    }
    if (isReplay) {
      screen.reset()
    }
    if (this.#kind === 'line') {
      print(outputKind === standardError ? red(output) : output)
    } else {
      screen.write(output, isPast)
    }
    if (isExit) {
      screen.write(note(t.terminal.endedLine))
      onExit()
    }
  }
}
