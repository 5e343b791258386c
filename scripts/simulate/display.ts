import { spawn } from 'node:child_process'
import { createCipheriv, randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** An X display of our own, in memory. */
export interface XDisplay {
  /** For example `:12345`. */
  name: string
  /** Stops the process of the display server until it is killed: it answers nothing. */
  freeze(): void
  /** Ends the display server; resolves when it has gone. One that is killed leaves its socket behind. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Servers that look for a free number at the same time take each other's sockets away: chance keeps them apart. */
const pickNumber = () => 100 + randomInt(39_000)

async function startServer(program: string, options: readonly string[]): Promise<XDisplay> {
  const name = `:${pickNumber()}`
  // It writes to the descriptor 3 once it accepts programs; when the last one leaves, it stays as it is.
  const server = spawn(program, [name, '-displayfd', '3', '-noreset', '-nolisten', 'tcp', ...options], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const ended = once(server, 'exit')
  await Promise.race([
    once(server.stdio[3] as Readable, 'data'),
    ended.then(() => Promise.reject(new Error(`${program} did not start.`))),
  ])
  return {
    name,
    freeze: () => void server.kill('SIGSTOP'),
    async stop(signal) {
      server.kill(signal)
      await ended
    },
  }
}

/** `size` is width, height and bits of a pixel. */
export const startXvfb = (size = '1280x800x24', options: readonly string[] = []): Promise<XDisplay> =>
  startServer('Xvfb', ['-screen', '0', size, ...options])

/** The key with which VNC servers hide their passwords in files; it is the same everywhere. */
const vncKey = Buffer.from('e84ad660c4721ae0', 'hex')

function hiddenPassword(password: string) {
  // Three times the same key is DES once.
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([vncKey, vncKey, vncKey]), null).setAutoPadding(false)
  const plain = Buffer.alloc(8)
  plain.write(password)
  return cipher.update(plain).toString('hex')
}

/** A display server with a VNC port: who connects there acts as the person at the device. */
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
