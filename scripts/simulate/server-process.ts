import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const entry = join(import.meta.dirname, '..', '..', 'dist', 'server', 'main.js')
/** Clock ticks per second of /proc; 100 on every Linux that Node supports. */
const ticksPerSecond = 100

/** The built server as a process of its own, so that its CPU time and memory are its own too. */
export class ServerProcess {
  readonly url: string
  readonly startedInMs: number
  readonly #child: ChildProcess
  readonly #directory: string

  private constructor(child: ChildProcess, directory: string, url: string, startedInMs: number) {
    this.#child = child
    this.#directory = directory
    this.url = url
    this.startedInMs = startedInMs
  }

  /** Starts on a free port; with `directory` on existing data, which is then kept. */
  static async start(settings: Record<string, string> = {}, directory?: string): Promise<ServerProcess> {
    const data = directory ?? (await mkdtemp(join(tmpdir(), 'farhand-server-')))
    const started = performance.now()
    const env = {
      ...process.env,
      Service_Urls: 'http://127.0.0.1:0',
      Service_DataDirectory: data,
      Service_Logging__LogLevel__Default: 'Warning',
      ...settings,
    }
    const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const line of createInterface(child.stdout)) {
      const url = /^Listening on (\S+)/.exec(line)?.[1]
      if (url !== undefined) {
        child.stdout.resume()
        return new ServerProcess(child, data, url, performance.now() - started)
      }
    }
    throw new Error('The server did not start.')
  }

  get directory(): string {
    return this.#directory
  }

  /** Processor seconds so far, user and system (Linux). */
  async cpuSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  }

  /** Resident memory in MB (Linux). */
  async memoryMb(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  }

  async stop({ keepData = false } = {}): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGTERM')
      await once(this.#child, 'exit')
    }
    if (!keepData) {
      await rm(this.#directory, { recursive: true, force: true })
    }
  }
}
