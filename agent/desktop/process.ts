import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Clock } from '../clock.ts'
import { desktopCommand, desktopEnvironment, isRoot } from '../config.ts'
import type { Log } from '../log.ts'
import { programFile } from '../version.ts'
import { Calls, CallTimeout, type CallHandlers } from './calls.ts'
import { readLines, sendLine } from './json-lines.ts'
import { agentCalls, desktopCalls, maxMessageBytes } from './messages.ts'
import type { Owner } from './owner.ts'
import type { DisplayAddress } from './x11/connection.ts'

type DesktopCalls = Calls<typeof desktopCalls, typeof agentCalls>

interface DesktopProcessPorts {
  clock: Clock
  log: Log
  handlers: CallHandlers<typeof agentCalls>
  /** Called once when the process is of no use any more: it is gone, or was told to go. */
  onEnd: () => void
  /** What is started; tests put another program in its place. */
  command?: readonly string[]
}

/** A process that is asked to end and does not is ended after this. */
const stopMs = 3000
const maxLineLength = 1000
/** What it says beyond that is not worth the lines of others. */
const maxLines = 200
/** A desktop that does not read what it asked for is ended. */
const maxUnreadBytes = 8 * 1024 * 1024

/** What programs of this user find on this display; nothing of the agent's own. */
export const variablesOf = (
  { display, authorityFile }: DisplayAddress,
  { name, home, runtimeFolder }: Owner,
): Record<string, string> => ({
  HOME: home,
  USER: name,
  LOGNAME: name,
  DISPLAY: display,
  ...(authorityFile !== undefined && { XAUTHORITY: authorityFile }),
  ...(runtimeFolder !== undefined && {
    XDG_RUNTIME_DIR: runtimeFolder,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${runtimeFolder}/bus`,
  }),
})

/** The process that serves one desktop, as the user of that desktop where we may choose. */
export class DesktopProcess {
  readonly #child: ChildProcess
  readonly #calls: DesktopCalls
  readonly #ports: DesktopProcessPorts
  #isGone = false
  #isRetired = false

  constructor(address: DisplayAddress, owner: Owner, ports: DesktopProcessPorts) {
    const { clock, handlers, command = [process.execPath, programFile(), desktopCommand] } = ports
    const [program = '', ...args] = command
    this.#ports = ports
    this.#child = spawn(program, args, {
      cwd: '/',
      env: desktopEnvironment(variablesOf(address, owner)),
      // Not even a file of the agent's log is open there. The last one carries the calls.
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
      ...(isRoot && { uid: owner.uid, gid: owner.gid }),
    })
    const channel = this.#child.stdio[3] as Socket | undefined
    this.#calls = new Calls({
      clock,
      asks: desktopCalls,
      answers: agentCalls,
      handlers,
      send: (message) => {
        if (channel) {
          sendLine(channel, message)
          if (channel.writableLength > maxUnreadBytes) {
            channel.destroy()
          }
        }
      },
    })
    if (channel) {
      readLines(channel, maxMessageBytes, (message) => this.#calls.receive(message))
      channel.on('close', () => this.stop())
    }
    this.#child.on('error', (error) => this.#end(error.message))
    this.#child.on('exit', (status, signal) => this.#end(`status ${status ?? signal}`))
    this.#logLines(this.#child.stdout)
    this.#logLines(this.#child.stderr)
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Rejects when the process is gone or does not answer; one that does not answer is ended. */
  ask: DesktopCalls['ask'] = async (name, args, timeoutMs) => {
    try {
      return await this.#calls.ask(name, args, timeoutMs)
    } catch (error) {
      if (error instanceof CallTimeout) {
        this.#ports.log.warn({ pid: this.pid, call: name }, 'The process of a desktop does not answer and is ended')
        this.stop()
      }
      throw error
    }
  }

  stop(): void {
    this.#retire()
    if (!this.#isGone) {
      this.#child.kill('SIGTERM')
      this.#ports.clock.after(stopMs, () => this.#isGone || this.#child.kill('SIGKILL'))
    }
  }

  #retire() {
    if (!this.#isRetired) {
      this.#isRetired = true
      this.#calls.close('The process of this desktop has ended.')
      this.#ports.onEnd()
    }
  }

  #end(how: string) {
    if (!this.#isGone) {
      this.#isGone = true
      this.#ports.log.info({ pid: this.pid, how }, 'The process of a desktop has ended')
      this.#retire()
    }
  }

  #logLines(output: Readable | null) {
    let lines = 0
    output?.setEncoding('utf8').on('data', (text: string) => {
      if (++lines > maxLines) {
        return
      }
      this.#ports.log.warn({ pid: this.pid, said: text.trimEnd().slice(0, maxLineLength) }, 'From a desktop')
    })
  }
}
