import type { Completions } from './completer.ts'
import type { TerminalSize } from './input-queue.ts'

export type TerminalState =
  { phase: 'waiting' | 'opening' | 'open' | 'lost' | 'ended' } | { phase: 'failed'; reason: string }

/** A pseudo-terminal takes keystrokes, a line-based one whole lines. */
export type TerminalKind = 'pty' | 'line'

/** The terminal on this side. */
export interface Screen {
  write(text: string): void
  reset(): void
  size(): TerminalSize
  /** Takes a size that another viewer gave the terminal; undefined: that of its own place again. */
  follow(size: TerminalSize | undefined): void
}

/** What the device told of the shell in a terminal. */
export interface ShellFacts {
  kind: TerminalKind
  /** The program that runs; text from the device. */
  shell: string | undefined
  /** What could run in its place; empty where the device offers no choice. */
  shells: readonly string[]
}

export interface SessionOptions {
  deviceId: string
  /** Under what the terminal is remembered, for a reload. */
  place: string
  /** The program that shall run, if the device has it. */
  shell: string | undefined
  screen: Screen
  onState: (state: TerminalState) => void
  onShell: (facts: ShellFacts) => void
  /** What was typed and waits for the person to send or to drop it. */
  onHeld: (text: string) => void
  /** What a line could become; undefined when the question has passed. */
  onCompletions: (completions: Completions | undefined) => void
  /** Whether the size is that of another viewer. */
  onFollow: (isFollowing: boolean) => void
}
