import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const entry = `${import.meta.dirname}/../../dist/server/main.js`

/** Built server, as a new user starts it; a restart uses the same port. */
export class RealServer {
  readonly #directory: string
  #child: ChildProcess | undefined
  url = ''

  constructor(directory: string) {
    this.#directory = directory
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [entry], {
      env: {
        ...process.env,
        Service_Urls: this.url || 'http://127.0.0.1:0',
        Service_DataDirectory: this.#directory,
        Service_Logging__LogLevel__Default: 'Warning',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    for await (const line of createInterface(child.stdout)) {
      const url = /^Listening on (\S+)/.exec(line)?.[1]
      if (url !== undefined) {
        this.url = url
        return
      }
    }
    throw new Error('The server did not start.')
  }

  /** Stops the server and returns its exit status. */
  async stop(): Promise<number | null> {
    const child = this.#child
    if (!child || child.exitCode !== null) {
      return child?.exitCode ?? null
    }
    child.kill('SIGTERM')
    const [status] = (await once(child, 'exit')) as [number | null]
    return status
  }
}
