import type { SessionState } from '../viewer-kit/session-state.ts'
import type { Completions } from './completer.ts'

/** A pseudo-terminal takes keystrokes, a line-based one whole lines. */
export type TerminalKind = 'pty' | 'line'

export interface TerminalSize {
  columns: number
  rows: number
}

/** Input and size for one call to the terminal. */
export interface TerminalMessage extends Partial<TerminalSize> {
  input: string
  /** Whether the input answers a query of a program. */
  isReport?: boolean
}

/** Terminal emulator of this page. */
export interface Screen {
  /** `isPast`: queries in the text are not answered. */
  write(text: string, isPast?: boolean): void
  reset(): void
  size(): TerminalSize
  /** Sets the size that another viewer gave the terminal; undefined restores the size of the element. */
  follow(size: TerminalSize | undefined): void
  setKind(kind: TerminalKind): void
}

/** Facts that the device reports about the shell in a terminal. */
export interface ShellFacts {
  kind: TerminalKind
  /** Program that runs: untrusted. */
  shell: string | undefined
  /** Programs that could run in its place: untrusted; empty if the device offers no choice. */
  shells: readonly string[]
}

export interface TerminalState {
  session: SessionState
  facts: ShellFacts | undefined
  /** Title that the shell gave its window: untrusted. */
  title: string
  hasSelection: boolean
  /** Input that waits for the user to send or discard it. */
  pending: string
  completions: Completions | undefined
  /** Whether the size was set by another viewer. */
  isFollowing: boolean
  /** Width in character cells that another viewer set. */
  followedColumns: number | undefined
}
