import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** A display of our own on a free number; with `program`, another display server than Xvfb. */
export interface TestDisplay {
  /** For example `:99`. */
  name: string
  /** Ends the display server; resolves when it has gone. */
  stop(): Promise<void>
}

async function startServer(program: string, options: readonly string[]): Promise<TestDisplay> {
  // The server picks a free number and writes it to the descriptor 3 once it accepts programs.
  const server = spawn(program, ['-displayfd', '3', '-nolisten', 'tcp', ...options], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const ended = once(server, 'exit')
  const [output] = (await Promise.race([
    once(server.stdio[3] as Readable, 'data'),
    ended.then(() => Promise.reject(new Error(`${program} did not start.`))),
  ])) as [Buffer]
  return {
    name: `:${output.toString().trim()}`,
    async stop() {
      server.kill()
      await ended
    },
  }
}

/** `-noreset`: the server stays as it is when the last program leaves. */
export const startXvfb = (size = '1280x800x24', options: readonly string[] = []): Promise<TestDisplay> =>
  startServer('Xvfb', ['-screen', '0', size, '-noreset', ...options])

/** A display server with a VNC port: who connects there acts as the person at the device. */
export const startXvnc = (port: number, geometry = '800x600'): Promise<TestDisplay> =>
  startServer('Xtigervnc', ['-rfbport', String(port), '-SecurityTypes', 'None', '-localhost', '-geometry', geometry])
