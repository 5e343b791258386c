import { spawn } from 'node:child_process'
import { createCipheriv, randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** X display in memory. */
export interface XDisplay extends AsyncDisposable {
  /** For example `:12345`. */
  name: string
  /** Process of the display server. */
  pid: number
  /** Suspends the display server with SIGSTOP, so that it answers nothing until it is killed. */
  freeze(): void
  /** Ends the display server; resolves after its exit. A killed server leaves its socket file behind. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Random, because servers that start concurrently would take each other's sockets. */
const pickNumber = () => 100 + randomInt(39_000)

/** Starts a display server; `options` follow those that each has. */
export async function startServer(
  program: string,
  options: readonly string[],
  name = `:${pickNumber()}`,
): Promise<XDisplay> {
  // Writes to descriptor 3 once it accepts clients; -noreset keeps its state after the last client.
  const server = spawn(program, [name, '-displayfd', '3', '-noreset', '-nolisten', 'tcp', ...options], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const ended = once(server, 'exit')
  await Promise.race([
    once(server.stdio[3] as Readable, 'data'),
    ended.then(() => Promise.reject(new Error(`${program} did not start.`))),
  ])
  const stop = async (signal?: NodeJS.Signals) => {
    server.kill(signal)
    await ended
  }
  return {
    name,
    pid: server.pid ?? 0,
    freeze: () => void server.kill('SIGSTOP'),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Starts Xvfb; `size` is width, height and bits per pixel. */
export const startXvfb = (size = '1280x800x24', options: readonly string[] = []): Promise<XDisplay> =>
  startServer('Xvfb', ['-screen', '0', size, ...options])

/** Fixed key with which VNC servers obfuscate stored passwords. */
const vncKey = Buffer.from('e84ad660c4721ae0', 'hex')

function hiddenPassword(password: string) {
  // Triple DES with a repeated key equals single DES.
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([vncKey, vncKey, vncKey]), null).setAutoPadding(false)
  const plain = Buffer.alloc(8)
  plain.write(password)
  return cipher.update(plain).toString('hex')
}

/** Starts a display server with a VNC port; VNC clients act as the person at the device. */
export const startXvnc = (port: number, geometry = '800x600', password?: string): Promise<XDisplay> =>
  startServer('Xtigervnc', [
    '-rfbport',
    String(port),
    '-localhost',
    '-geometry',
    geometry,
    '-SecurityTypes',
    ...(password === undefined ? ['None'] : ['VncAuth', '-Password', hiddenPassword(password)]),
  ])
