import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { databaseCpuSeconds, databaseOf, settingsOf } from './database.ts'
import { cpuSecondsOf, memoryMbOf, openFilesOf } from './process-figures.ts'

const root = join(import.meta.dirname, '..', '..')

/** Server in a separate process, so that its CPU time and memory can be measured. */
export class ServerProcess implements AsyncDisposable {
  readonly url: string
  /** All addresses, in the order of the configuration. */
  readonly urls: readonly string[]
  readonly #child: ChildProcess
  /** CPU seconds so far of what works for this server outside of its process. */
  readonly #othersCpuSeconds: () => Promise<number>

  constructor(child: ChildProcess, urls: readonly string[], othersCpuSeconds: () => Promise<number>) {
    this.#child = child
    this.#othersCpuSeconds = othersCpuSeconds
    this.url = urls[0] ?? ''
    this.urls = urls
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** CPU seconds so far, user and system, with those of its database (Linux). */
  async cpuSeconds(): Promise<number> {
    return (await cpuSecondsOf(this.#child.pid)) + (await this.#othersCpuSeconds())
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
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM')
      await once(this.#child, 'exit')
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

/** Starts a script that prints `Listening on URL`, and waits for a line per address of `Service_Urls`. */
export async function startProcess(
  script: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  nodeArguments: readonly string[] = [],
  othersCpuSeconds: () => Promise<number> = async () => 0,
): Promise<ServerProcess> {
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
      return new ServerProcess(child, urls, othersCpuSeconds)
    }
  }
  throw new Error(`${script} did not start.`)
}

/** Starts the built server on a data folder. */
export async function startServer(
  directory: string,
  settings: Record<string, string> = {},
  nodeArguments: readonly string[] = [],
): Promise<ServerProcess> {
  const env = {
    Service_Urls: 'http://127.0.0.1:0',
    Service_DataDirectory: directory,
    Service_Logging__LogLevel__Default: 'Warning',
    ...settingsOf(await databaseOf(directory)),
    ...settings,
  }
  return startProcess('dist/server/main.js', [], env, nodeArguments, databaseCpuSeconds)
}

/** Starts a bare server for comparison. */
export const startBare = (kind: string, ...args: readonly string[]): Promise<ServerProcess> =>
  startProcess('tools/bench/bare.ts', [kind, ...args])
