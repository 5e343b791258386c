import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readIdentity } from '../../agent/trust/identity-document.ts'
import { identityPath, type Pin } from '../../shared/server-identity.ts'
import { startAgent } from '../agent/agent-process.ts'
import { temporaryFolder } from '../agent/support.ts'
import { installerKey } from './agent.ts'
import type { Member, TestServer } from './server.ts'
import { until } from './until.ts'

/** Identity statement of a running server. */
export const identityOf = async (url: string) => readIdentity(await (await fetch(url + identityPath)).json())

export const pinOfPem = (pem: string | Buffer): Pin =>
  `sha256//${createHash('sha256')
    .update(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')}`

/** Options of a server's install command. */
export async function pinnedOptions(owner: Member, url: string, pin?: Pin): Promise<string[]> {
  const { id, keySecret } = await installerKey(owner)
  const serverPin = pin ?? (await identityOf(url)).statement.serverPin
  return ['-s', url, '-sp', serverPin, '-t', owner.tenantId, '-ki', id, '-ks', keySecret]
}

export const settingsIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'appsettings.json'), 'utf8')).AppOptions

/** Starts the real agent in a separate process, enrolled over TLS with a pin, and waits until it is online. */
export async function startPinnedDevice(server: TestServer, owner: Member) {
  const folder = temporaryFolder()
  const options = await pinnedOptions(owner, server.url)
  const agent = startAgent('run', '--data-dir', folder, '--as-service', ...options)
  const row = async () => {
    const { DeviceId } = settingsIn(folder)
    return owner.devices.get({ params: { deviceId: DeviceId } }).catch(() => undefined)
  }
  const isOnline = async () => existsSync(join(folder, 'appsettings.json')) && ((await row())?.isOnline ?? false)
  await until(async () => {
    if (agent.child.exitCode !== null) {
      throw new Error(`The agent ended: ${agent.output()}`)
    }
    return await isOnline()
  })
  return { folder, agent, id: String(settingsIn(folder).DeviceId), isOnline, settings: () => settingsIn(folder) }
}
