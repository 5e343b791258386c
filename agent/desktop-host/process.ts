import type { Readable } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import { UserError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { Calls, CallTimeout, type CallHandlers } from '../desktop/calls.ts'
import type { StartedProcess } from '../platform/found-desktop.ts'
import { readLines, sendLine } from '../desktop/json-lines.ts'
import { agentCalls, desktopCalls, maxMessageBytes } from '../desktop/messages.ts'

type DesktopCalls = Calls<typeof desktopCalls, typeof agentCalls>

interface DesktopProcessDependencies {
  clock: Clock
  log: Log
  handlers: CallHandlers<typeof agentCalls>
  /** Called once when the process has ended or was asked to exit; `problem` is the reason if it never connected. */
  onEnd: (problem?: string) => void
}

/** Time between the request to exit and the kill. */
const stopMs = 3000
const maxLineLength = 1000
/** Maximum number of output lines logged per process. */
const maxLines = 200
/** Limit for unread bytes: a desktop that does not read its channel is killed. */
const maxUnreadBytes = 8 * 1024 * 1024

/** Process that serves one desktop, as the desktop's user if the agent may choose. */
export class DesktopProcess {
  readonly #started: StartedProcess
  readonly #calls: DesktopCalls
  readonly #deps: DesktopProcessDependencies
  #isGone = false
  #hasSpoken = false
  #isRetired = false

  constructor(started: StartedProcess, deps: DesktopProcessDependencies) {
    const { clock, handlers } = deps
    this.#deps = deps
    this.#started = started
    this.#calls = new Calls({
      clock,
      asks: desktopCalls,
      answers: agentCalls,
      handlers,
      // Messages sent before the process has connected are queued in order.
      send: (message) =>
        void started.channel.then(
          (channel) => {
            sendLine(channel, message)
            if (channel.writableLength > maxUnreadBytes) {
              channel.destroy()
            }
          },
          () => undefined,
        ),
    })
    started.channel.then(
      (channel) => {
        deps.log.info({ pid: this.pid }, 'The process of a desktop has connected')
        readLines(channel, maxMessageBytes, (message) => {
          this.#hasSpoken = true
          this.#calls.receive(message)
        })
        channel.on('close', () => this.stop())
      },
      (error: Error) => {
        deps.log.warn({ pid: this.pid, error: error.message }, 'The process of a desktop did not connect')
        this.stop(error.message)
      },
    )
    void started.ended.then((how) => this.#end(how))
    void started.outputs.then((outputs) => outputs.forEach((output) => this.#logLines(output)))
  }

  /** Undefined if the process could not be started. */
  get pid(): number | undefined {
    return this.#started.pid
  }

  /** Rejects when the process has ended or does not reply; a process that does not reply is terminated. */
  ask: DesktopCalls['ask'] = async (name, args, timeoutMs) => {
    try {
      return await this.#calls.ask(name, args, timeoutMs)
    } catch (error) {
      if (error instanceof CallTimeout) {
        this.#deps.log.warn({ pid: this.pid, call: name }, 'Terminating the unresponsive process of a desktop')
        this.stop()
      }
      throw error
    }
  }

  /** Resolves with the pipe of the helper. Rejects with a reason. */
  async openSecureDesktop(): Promise<string> {
    if (!this.#started.openSecureDesktop) {
      throw new UserError('Only an agent that runs as a Windows service reaches the secure desktop.')
    }
    const pipe = await this.#started.openSecureDesktop()
    this.#deps.log.info({ pid: this.pid }, 'Started the helper for the secure desktop')
    return pipe
  }

  closeSecureDesktop(): void {
    this.#started.closeSecureDesktop?.()
  }

  stop(problem?: string): void {
    this.#retire(problem)
    if (!this.#isGone) {
      this.#started.end(false)
      this.#deps.clock.after(stopMs, () => this.#isGone || this.#started.end(true))
    }
  }

  #retire(problem?: string) {
    if (!this.#isRetired) {
      this.#isRetired = true
      this.#calls.close('The process of this desktop has ended.')
      this.#deps.onEnd(problem)
    }
  }

  #end(how: string) {
    if (!this.#isGone) {
      this.#isGone = true
      this.#deps.log.info({ pid: this.pid, how }, 'The process of a desktop has ended')
      this.#retire(this.#hasSpoken ? undefined : `Its process ended at once: ${how}.`)
    }
  }

  #logLines(output: Readable) {
    let lines = 0
    output.setEncoding('utf8').on('data', (text: string) => {
      if (++lines > maxLines) {
        return
      }
      this.#deps.log.warn({ pid: this.pid, said: text.trimEnd().slice(0, maxLineLength) }, 'From a desktop')
    })
  }
}
