import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { SecureContextOptions } from 'node:tls'

const limitMs = 10_000

/** What another process runs: it opens what it is given, and says how many milliseconds of a processor that takes. */
const program = `
  const { createSecureContext } = require('node:tls')
  const { text } = require('node:stream/consumers')
  text(process.stdin).then((given) => {
    const { pfx, cert, key, passphrase } = JSON.parse(given)
    const begin = process.cpuUsage()
    try {
      createSecureContext({ pfx: pfx && Buffer.from(pfx, 'base64'), cert, key, passphrase })
    } catch {}
    const { user, system } = process.cpuUsage(begin)
    process.stdout.write(String((user + system) / 1000))
  })
`

/** As JSON; the file of a PFX in base64. */
const asJson = ({ pfx, cert, key, passphrase }: SecureContextOptions) => {
  const read = (file: unknown, encoding: 'base64' | 'latin1') =>
    Buffer.isBuffer(file) ? file.toString(encoding) : undefined
  return JSON.stringify({ pfx: read(pfx, 'base64'), cert: read(cert, 'latin1'), key: read(key, 'latin1'), passphrase })
}

/**
 * How long a certificate and its key take to be opened, in milliseconds. A file with a password says itself how often that
 * is to be hashed: it can keep a process busy for hours, and nothing in a process can end that. So another one tries it.
 */
export async function openingMs(context: SecureContextOptions): Promise<number> {
  const child = spawn(process.execPath, ['-e', program], {
    // The password comes by a pipe: nobody can list it. In the desktop app the program is Electron.
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ELECTRON_RUN_AS_NODE: '1' },
    timeout: limitMs,
    killSignal: 'SIGKILL',
    windowsHide: true,
  })
  child.stdin.on('error', () => {})
  child.stdin.end(asJson(context))
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')])
  return said === '' ? Infinity : Number(said)
}
