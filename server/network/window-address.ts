import { chmod, lstat, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { z } from 'zod'
import type { App } from '../call/call.ts'
import { preparedProblem } from '../ground/prepared-path.ts'
import { pinOf } from '../engines/tls/keys.ts'

/*
 * Address of a service with its own account, for the windows of all users of the computer. The service writes it into a
 * folder that only its account and administrators can write to; the key in it proves to a window that it reached the
 * service, and no other program that listens on the port meanwhile.
 */

const WindowAddress = z.object({ url: z.url({ protocol: /^https$/ }), pin: z.string().startsWith('sha256//') })
export type WindowAddress = z.output<typeof WindowAddress>

/** Port of the address, unless it is in use. */
const preferredPort = 5122
const probeMs = 3_000
const writableByOthers = 0o022

const fileIn = (folder: string) => join(folder, 'service.json')

async function openAddress({ listeners }: App): Promise<string> {
  const address = { scheme: 'https', host: '127.0.0.1', port: preferredPort } as const
  const kind = { isFixed: true, isForDesktopWindows: true } as const
  const preferred = await listeners.open(address, kind)
  if (preferred.problem === null) {
    return preferred.url
  }
  await listeners.close(address, '')
  return (await listeners.open({ ...address, port: 0 }, kind)).url
}

/** Serves the windows of this computer, and writes the address for them; returns a function that removes it. */
export async function announceToWindows(app: App, folder: string): Promise<() => Promise<void>> {
  const url = await openAddress(app)
  const tls = await app.tls()
  const announce = async () => {
    const partial = `${fileIn(folder)}.new`
    await writeFile(partial, JSON.stringify({ url, pin: tls.serverPin() } satisfies WindowAddress))
    // New files of the service are private, but the windows of all users must read this one.
    await chmod(partial, 0o644)
    await rename(partial, fileIn(folder))
  }
  await announce()
  const forget = tls.onChange(() => {
    announce().catch((error: unknown) => app.log.error({ err: error }, 'The address for windows could not be written.'))
  })
  return async () => {
    forget()
    await rm(fileIn(folder), { force: true })
  }
}

/** Whether only the account of the service, and administrators, can have written a file. */
async function isOfService(folder: string, file: string): Promise<boolean> {
  if (process.getuid === undefined) {
    // Only administrators make folders in the folder of programs of Windows.
    return true
  }
  const [of, it] = [await lstat(folder), await lstat(file)]
  const isClosed = ((of.mode | it.mode) & writableByOthers) === 0
  return isClosed && of.isDirectory() && it.isFile() && it.uid === of.uid && !preparedProblem(dirname(folder))
}

/** Address that the service of this computer has announced; undefined without one that can be trusted. */
async function readAddress(folder: string): Promise<WindowAddress | undefined> {
  try {
    const file = fileIn(folder)
    return (await isOfService(folder, file)) ? WindowAddress.parse(JSON.parse(await readFile(file, 'utf8'))) : undefined
  } catch {
    return undefined
  }
}

const hasPin = (pem: string | Buffer, pin: string): boolean => pinOf(new X509Certificate(pem).publicKey) === pin

/** Whether the service itself answers: nothing is sent to a peer with another key. */
function answers({ url, pin }: WindowAddress): Promise<boolean> {
  return new Promise((resolve) => {
    // Not verified by an authority: the key decides, below.
    const asking = request(new URL('/health', url), { timeout: probeMs, rejectUnauthorized: false, agent: false })
    asking.on('socket', (socket) =>
      socket.once('secureConnect', () => {
        if (hasPin((socket as TLSSocket).getPeerCertificate().raw, pin)) {
          asking.end()
        } else {
          asking.destroy()
        }
      }),
    )
    asking.on('response', (response) => {
      response.resume()
      resolve(true)
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(false))
    asking.on('close', () => resolve(false))
  })
}

/** The service that announces itself in a folder, for a window. */
export const announcedService = (folder: string) => ({
  /** Its address; undefined while it does not answer. */
  async ask(): Promise<string | undefined> {
    const address = await readAddress(folder)
    return address && (await answers(address)) ? address.url : undefined
  },
  async isOwnCertificate(pem: string): Promise<boolean> {
    const address = await readAddress(folder)
    return address !== undefined && hasPin(pem, address.pin)
  },
})
