import { spawn, type ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { DtoWrapper } from '../../shared/dtos/device-commands.ts'
import { EnrollAnew, enrollAnewType } from '../../shared/dtos/enroll-anew.ts'
import { failureOf, successOf, type HubResult } from '../../shared/dtos/hub-result.ts'
import { RecordingNotice, recordingNoticeType } from '../../shared/dtos/recording-notice.ts'
import {
  EndCommand,
  endCommandType,
  RunCommand,
  runCommandType,
  type CommandEndDto,
} from '../../shared/dtos/run-command.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { platform } from '../platform/index.ts'
import { homeFolder } from './pty.ts'

/** Maximum number of commands that run at the same time. */
const maxRunning = 8
/** Grace period between SIGTERM and SIGKILL. */
const politeMs = 3_000
/** Time to wait for remaining output after the exit: a process left behind may keep the output open. */
const drainMs = 500
/** Minimum interval between log lines about unknown messages, which would otherwise flood the log. */
const unknownMs = 60_000

type Message = z.output<typeof DtoWrapper>
type Answer = HubResult & { value: CommandEndDto | null }

/** Terminates a command and all its descendants. */
const killTree = ({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL') =>
  pid !== undefined && platform.processes.killTree(pid, signal)

/** Last `maxBytes` of a stream. */
class Tail {
  readonly #maxBytes: number
  readonly #pieces: Buffer[] = []
  #length = 0
  #isCut = false

  constructor(stream: Readable, maxBytes: number) {
    this.#maxBytes = maxBytes
    stream.on('data', (piece: Buffer) => this.#add(piece))
  }

  #add(piece: Buffer) {
    this.#pieces.push(piece)
    this.#length += piece.length
    for (let first = this.#pieces[0]; first && this.#length - first.length >= this.#maxBytes; first = this.#pieces[0]) {
      this.#length -= first.length
      this.#pieces.shift()
      this.#isCut = true
    }
  }

  read(): { text: string; isCut: boolean } {
    const bytes = Buffer.concat(this.#pieces)
    if (!this.#isCut && bytes.length <= this.#maxBytes) {
      return { text: bytes.toString(), isCut: false }
    }
    // Drop a character that was cut at the start.
    const start = Math.max(0, bytes.length - this.#maxBytes)
    return {
      text: bytes
        .subarray(start)
        .toString()
        .replace(/^\uFFFD+/, ''),
      isCut: true,
    }
  }
}

interface CommandsDependencies {
  clock: Clock
  log: Log
  /** Has a reason against a run if the person at the device does not want it. */
  enter?: (runId: string) => Promise<{ refusal?: string }>
  /** Enrolls this machine as a new device. */
  enrollAnew?: (key: EnrollAnew) => void
  /** Shows to the person at a desktop whether a session is recorded. */
  desktops?: { setRecorded(notice: RecordingNotice): void }
}

/** Runs commands from the server without a terminal, as for batches on many devices. */
export class Commands {
  readonly #clock: Clock
  readonly #log: Log
  /** Functions that end a run, by the run's id. */
  readonly #running = new Map<string, (by: CommandEndDto['endedBy']) => void>()

  readonly #enter: CommandsDependencies['enter']
  readonly #enrollAnew: CommandsDependencies['enrollAnew']
  readonly #desktops: CommandsDependencies['desktops']
  #noteUnknownAt = -Infinity

  constructor({ clock, log, enter, enrollAnew, desktops }: CommandsDependencies) {
    this.#clock = clock
    this.#log = log
    this.#enter = enter
    this.#enrollAnew = enrollAnew
    this.#desktops = desktops
  }

  /** Carries out a message of the server; returns null for those that need no answer. */
  async receive({ dtoType, payload }: Message): Promise<Answer | null> {
    if (dtoType === runCommandType) {
      const asked = RunCommand.parse(readPayload(payload))
      const { refusal } = (await this.#enter?.(asked.runId)) ?? {}
      return refusal === undefined ? this.#run(asked) : failureOf(refusal)
    }
    if (dtoType === endCommandType) {
      this.#running.get(EndCommand.parse(readPayload(payload)).runId)?.('request')
      return null
    }
    if (dtoType === enrollAnewType) {
      this.#log.warn({}, 'Another machine keeps the identity of this device: enrolling as a new device')
      this.#enrollAnew?.(EnrollAnew.parse(readPayload(payload)))
      return null
    }
    if (dtoType === recordingNoticeType) {
      this.#desktops?.setRecorded(RecordingNotice.parse(readPayload(payload)))
      return null
    }
    if (this.#clock.monotonic() >= this.#noteUnknownAt) {
      this.#noteUnknownAt = this.#clock.monotonic() + unknownMs
      this.#log.info({ dtoType }, 'Ignored a message of unknown type')
    }
    return null
  }

  endAll(): void {
    this.#running.forEach((end) => end('request'))
  }

  async #run({ runId, command, timeLimitSeconds, maxOutputBytes }: RunCommand): Promise<Answer> {
    if (this.#running.has(runId)) {
      return failureOf('This command runs already.')
    }
    if (this.#running.size >= maxRunning) {
      return failureOf(`This device runs ${maxRunning} commands already.`)
    }
    if (command.includes('\0')) {
      // Spawning would throw an error that contains the whole command, and the error would be logged with its secrets.
      return failureOf('A command cannot contain a NUL character.')
    }
    const { line, input = '' } = platform.commandLine(command)
    const [program, ...args] = line
    const child = spawn(program, args, {
      cwd: homeFolder(),
      env: platform.terminals.environment(program),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: platform.processes.hasGroups,
      windowsHide: true,
    })
    // A shell that failed to start or exited at once does not read its input (EPIPE).
    child.stdin.on('error', () => {}).end(input)
    const outputTail = new Tail(child.stdout, maxOutputBytes)
    const errorTail = new Tail(child.stderr, maxOutputBytes)
    let endedBy: CommandEndDto['endedBy'] = 'itself'
    const cancels = new Set<() => void>()
    const end = (by: CommandEndDto['endedBy']) => {
      if (endedBy === 'itself') {
        endedBy = by
        killTree(child, 'SIGTERM')
        cancels.add(this.#clock.after(politeMs, () => killTree(child, 'SIGKILL')))
      }
    }
    this.#running.set(runId, end)
    this.#log.info({ runId, timeLimitSeconds }, 'A command was started')
    try {
      cancels.add(this.#clock.after(timeLimitSeconds * 1000, () => end('time-limit')))
      const exitCode = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject)
        child.once('close', resolve)
        child.once('exit', (code) => cancels.add(this.#clock.after(drainMs, () => resolve(code))))
      })
      if (endedBy !== 'itself') {
        // The first program has exited; kill what ignored SIGTERM.
        killTree(child, 'SIGKILL')
      }
      const output = outputTail.read()
      const errors = errorTail.read()
      const isCut = output.isCut || errors.isCut
      return successOf({ endedBy, exitCode, output: output.text, errorOutput: errors.text, isCut })
    } catch (error) {
      return failureOf(`The command could not be started: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      cancels.forEach((cancel) => cancel())
      this.#running.delete(runId)
      child.stdout.destroy()
      child.stderr.destroy()
      this.#log.info({ runId, endedBy }, 'A command has ended')
    }
  }
}

const readPayload = (payload: string): unknown => JSON.parse(Buffer.from(payload, 'base64').toString())
