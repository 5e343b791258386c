import type { IPty } from '@lydell/node-pty'
import type { TerminalInputDto, TerminalOutputDto } from '../../shared/dtos/terminal.ts'
import type { Cancel, Clock } from '../base/clock.ts'
import { openPty } from './pty.ts'
import { replayLength, TerminalOutput } from './terminal-output.ts'
import { platform } from '../platform/index.ts'

/** Sends one piece of output; resolves when the server has accepted the output. */
export type SendOutput = (viewerConnectionId: string, output: TerminalOutputDto) => Promise<unknown>

export interface SessionDependencies {
  clock: Clock
  send: SendOutput
  /** Idle timeout in ms without a viewer call, after which the shell is terminated. */
  idleMs: number
  onEnd: () => void
}

const killAfterMs = 3000
const pauseLength = replayLength
const resumeLength = replayLength / 4

export interface OpenedTerminal {
  viewer: string
  shell: string
  /** Name of the person who opened the terminal, for programs in it; blank if unknown. */
  visitorName: string
}

/** Shell on a pseudo-terminal, with its viewer. */
export class TerminalSession {
  readonly #id: string
  readonly #pty: IPty
  readonly #deps: SessionDependencies
  readonly #output = new TerminalOutput()
  readonly shell: string
  readonly visitorName: string
  /** Whether anything was typed. */
  hasInput = false
  #viewer: string
  #isReplaced = false
  /** Whether output is kept but not sent, because viewer or hub is disconnected. */
  #isDetached = false
  /** Incremented with each attached viewer, so that a failed send to a replaced viewer is ignored. */
  #attachments = 0
  #isReplayDue = false
  #isSending = false
  #isPaused = false
  #hasExited = false
  #cancelIdle: Cancel = () => {}

  constructor(id: string, { viewer, shell, visitorName }: OpenedTerminal, deps: SessionDependencies) {
    this.#id = id
    this.shell = shell
    this.visitorName = visitorName
    this.#viewer = viewer
    this.#deps = deps
    this.#pty = openPty(shell, { columns: 80, rows: 24, visitorName })
    this.#pty.onData((text) => this.#receive(text))
    this.#pty.onExit(() => {
      this.#hasExited = true
      this.#cancelIdle()
      void this.#pump()
    })
    this.#restartIdle()
  }

  /** False once the shell has exited, even while its last output is still being sent. */
  get isRunning() {
    return !this.#hasExited
  }

  isWatchedBy(viewerConnectionId: string): boolean {
    return this.#viewer === viewerConnectionId
  }

  input({ input, viewerConnectionId, isRaw, columns, rows, isAttach }: TerminalInputDto): void {
    if (columns !== undefined && rows !== undefined && (columns !== this.#pty.cols || rows !== this.#pty.rows)) {
      this.#pty.resize(columns, rows)
    }
    this.attach(viewerConnectionId ?? this.#viewer, isAttach === true)
    if (isRaw || isAttach) {
      this.#write(input)
    } else if (columns === undefined || input !== '') {
      this.#write(`${input.replaceAll('\r\n', '\r').replaceAll('\n', '\r')}\r`)
    }
  }

  /** Sends output to this viewer from now on; replays recent output if requested or if output was missed. */
  attach(viewerConnectionId: string, isReplayWanted: boolean): void {
    this.#restartIdle()
    const isReplayNeeded = isReplayWanted || this.#isDetached
    this.#viewer = viewerConnectionId
    this.#isDetached = false
    this.#attachments++
    if (isReplayNeeded) {
      this.#replay()
    }
  }

  /** Call when the hub is reconnected: a viewer that missed output gets a replay. */
  resume(): void {
    if (this.#isDetached && !this.#hasExited) {
      this.#isDetached = false
      this.#attachments++
      this.#replay()
    }
  }

  /** Sends SIGHUP as a closed window does, and kills a shell that does not exit; a replaced session reports no end. */
  close({ isReplaced = false } = {}): void {
    this.#isReplaced = isReplaced
    this.#cancelIdle()
    this.#isDetached = true
    this.#setPaused(false)
    this.#kill('SIGHUP')
    const cancel = this.#deps.clock.after(killAfterMs, () => this.#kill('SIGKILL'))
    this.#pty.onExit(cancel)
  }

  #kill(signal: string) {
    if (!this.#hasExited) {
      this.#pty.kill(platform.terminals.killSignal(signal))
    }
  }

  #write(text: string) {
    if (text !== '') {
      this.hasInput = true
      this.#pty.write(text)
    }
  }

  #restartIdle() {
    this.#cancelIdle()
    this.#cancelIdle = this.#deps.clock.after(this.#deps.idleMs, () => {
      this.#output.append(`\r\n[ended after ${Math.round(this.#deps.idleMs / 60_000)} minutes without use]\r\n`)
      void this.#pump()
      this.close()
    })
  }

  #replay() {
    this.#output.rewind()
    this.#isReplayDue = true
    void this.#pump()
  }

  #receive(text: string) {
    this.#output.append(text)
    if (this.#isDetached) {
      this.#output.skip()
    } else {
      this.#setPaused(this.#isPaused || this.#output.waitingLength > pauseLength)
      void this.#pump()
    }
  }

  #setPaused(isPaused: boolean) {
    if (isPaused !== this.#isPaused) {
      this.#isPaused = isPaused
      if (isPaused) {
        this.#pty.pause()
      } else {
        this.#pty.resume()
      }
    }
  }

  /** Sends queued output, one awaited message at a time, so that a slow viewer causes back-pressure on the program. */
  async #pump() {
    if (this.#isSending) {
      return
    }
    this.#isSending = true
    for (let next = this.#next(); next && !this.#isDetached; next = this.#next()) {
      const attachments = this.#attachments
      try {
        await this.#send(next)
      } catch {
        this.#handleFailedSend(attachments === this.#attachments)
      }
      if (this.#output.waitingLength < resumeLength) {
        this.#setPaused(false)
      }
    }
    if (this.#hasExited) {
      if (!this.#isReplaced) {
        await this.#send({ output: '', isExit: true }).catch(() => {})
      }
      this.#deps.onEnd()
    }
    this.#isSending = false
  }

  #handleFailedSend(isSameViewer: boolean) {
    if (isSameViewer) {
      this.#isDetached = true
      this.#output.skip()
    } else {
      this.#output.rewind()
      this.#isReplayDue = true
    }
  }

  #next(): Partial<TerminalOutputDto> | undefined {
    const isPast = this.#output.isPast && { isPast: true }
    const output = this.#output.take()
    if (this.#isReplayDue) {
      this.#isReplayDue = false
      return { output: output ?? '', isReplay: true, ...isPast }
    }
    return output === undefined ? undefined : { output, ...isPast }
  }

  #send(part: Partial<TerminalOutputDto>) {
    return this.#deps.send(this.#viewer, {
      terminalId: this.#id,
      output: '',
      outputKind: 0,
      timestamp: new Date(this.#deps.clock.now()).toISOString(),
      ...part,
    })
  }
}
