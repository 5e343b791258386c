import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { temporaryFolder } from './temporary-folder.ts'

const root = join(import.meta.dirname, '..', '..')
/** Clock ticks per second of /proc; 100 on every Linux that Node supports. */
const ticksPerSecond = 100

/** CPU seconds of a process so far, user and system (Linux). */
export async function cpuSecondsOf(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Resident memory of a process in MB (Linux). */
export async function memoryMbOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** Number of open files and sockets of a process (Linux). */
export const openFilesOf = async (pid: number | undefined): Promise<number> => (await readdir(`/proc/${pid}/fd`)).length

/** Server in a separate process, so that its CPU time and memory can be measured. */
export class ServerProcess {
  readonly url: string
  /** All addresses, in the order of the configuration. */
  readonly urls: readonly string[]
  /** Time from the start of the process to its ready line. */
  readonly readyAfterMs: number
  readonly #child: ChildProcess

  constructor(child: ChildProcess, urls: readonly string[], readyAfterMs: number) {
    this.#child = child
    this.url = urls[0] ?? ''
    this.urls = urls
    this.readyAfterMs = readyAfterMs
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** CPU seconds so far, user and system (Linux). */
  cpuSeconds(): Promise<number> {
    return cpuSecondsOf(this.#child.pid)
  }

  /** Resident memory in MB (Linux). */
  memoryMb(): Promise<number> {
    return memoryMbOf(this.#child.pid)
  }

  /** Number of open files and sockets (Linux). */
  openFiles(): Promise<number> {
    return openFilesOf(this.#child.pid)
  }

  /** Sends a message to the module loaded with `--import`; resolves with its next answer. */
  async ask<Answer>(message: string): Promise<Answer> {
    const answered = once(this.#child, 'message')
    this.#child.send(message)
    const [answer] = (await answered) as [Answer]
    return answer
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGTERM')
      await once(this.#child, 'exit')
    }
  }
}

/** Starts a script that prints `Listening on URL`, and waits for a line per address of `Service_Urls`. */
export async function startProcess(
  script: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  nodeArguments: readonly string[] = [],
): Promise<ServerProcess> {
  const started = performance.now()
  const child = spawn(process.execPath, [...nodeArguments, join(root, script), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (!child.stdout) {
    throw new Error(`${script} has no output.`)
  }
  const count = env['Service_Urls']?.split(';').length ?? 1
  const urls: string[] = []
  for await (const line of createInterface(child.stdout)) {
    const url = /^Listening on (\S+)/.exec(line)?.[1]
    if (url !== undefined && urls.push(url) === count) {
      child.stdout.resume()
      return new ServerProcess(child, urls, performance.now() - started)
    }
  }
  throw new Error(`${script} did not start.`)
}

/** Runs `work` with the built server on a temporary data folder. */
export async function withServer<T>(
  settings: Record<string, string>,
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  await using folder = await temporaryFolder()
  const server = await startServer(folder.path, settings)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** Starts the built server on a persistent data folder. */
export const startServer = (
  directory: string,
  settings: Record<string, string> = {},
  nodeArguments: readonly string[] = [],
): Promise<ServerProcess> =>
  startProcess(
    'dist/server/main.js',
    [],
    {
      Service_Urls: 'http://127.0.0.1:0',
      Service_DataDirectory: directory,
      Service_Logging__LogLevel__Default: 'Warning',
      ...settings,
    },
    nodeArguments,
  )

/** Runs `work` with a bare server for comparison. */
export async function withBare<T>(
  kind: string,
  args: string[],
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = await startProcess('tools/bench/bare.ts', [kind, ...args])
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}
