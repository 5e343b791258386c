import { systemClock } from '../base/clock.ts'
import type { Options } from '../base/arguments.ts'
import { plainText } from '../base/plain-text.ts'
import { refusePreparedFolder } from '../platform/folders.ts'
import { pathsFor } from '../platform/paths.ts'
import { loadSettings } from '../trust/settings.ts'
import { expectedServer } from '../trust/enrollment.ts'
import { findAnnounced, type Announcement } from '../trust/discovery.ts'
import { fetchIdentity } from '../trust/fetch-identity.ts'
import { pinOf } from '../trust/identity-document.ts'
import { inWords } from '../trust/problems.ts'
import { isEnded } from '../trust/statement-time.ts'
import type { Pin } from '../../shared/server-identity.ts'

const listenMs = 4000
const proofLimitMs = 5000
const mostShown = 16

const print = (line: string) => process.stdout.write(`${line}\n`)

/** Returns the identity proved by the first responding address; undefined if no address proves an identity. */
async function provedPin(origins: readonly string[]): Promise<Pin | undefined> {
  const signal = AbortSignal.timeout(proofLimitMs)
  const proved = origins.map(async (origin) => {
    const { certificate, identity } = await fetchIdentity(origin, { signal })
    if (
      typeof identity === 'string' ||
      identity.statement.serverPin !== pinOf(certificate.publicKey) ||
      isEnded(identity.statement, systemClock.now())
    ) {
      throw new Error(`${origin} proves nothing.`)
    }
    return identity.pin
  })
  return await Promise.any(proved).catch(() => undefined)
}

async function describe({ name, authority, origins }: Announcement, ours: Pin | undefined): Promise<string[]> {
  const pin = await provedPin(origins)
  const isFalse = pin !== undefined && authority !== undefined && pin !== authority
  const advice = {
    unproved: 'This server does not answer here, or does not prove its identity.',
    false: 'This server announces another fingerprint than it proves. Do not install agents from it.',
    ours: 'This device belongs to this server.',
    other: 'This device does not belong to this server.',
  }
  const state = pin === undefined ? 'unproved' : isFalse ? 'false' : pin === ours ? 'ours' : 'other'
  const shown = pin ?? authority
  return [
    plainText(name) || 'A server without a name',
    ...origins.slice(0, mostShown).map((origin) => `  ${origin}`),
    ...(shown ? [`  Fingerprint: ${await inWords(shown)}${pin ? '' : ' (announced only)'}`] : []),
    `  ${advice[state]}`,
  ]
}

/** Lists the servers announced on this device's networks, and marks the device's own. */
export async function discover(options: Options): Promise<void> {
  const paths = pathsFor(options)
  refusePreparedFolder(paths.settingsFolder)
  const settings = loadSettings(paths)
  const ours = settings && expectedServer(settings.AppOptions)?.pin
  const found = await findAnnounced(listenMs)
  const texts = await Promise.all(found.map((announcement) => describe(announcement, ours)))
  if (texts.length === 0) {
    print('No Farhand server announces itself on the networks of this device.')
    print('A server announces itself while "Serve my network" is on; UDP port 5353 must be open on both sides.')
  }
  texts.forEach((lines) => lines.forEach(print))
}
