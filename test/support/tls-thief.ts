import { randomUUID, generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Updates } from '../../agent/capabilities/update.ts'
import { systemClock } from '../../agent/base/clock.ts'
import { pathsFor } from '../../agent/platform/paths.ts'
import { loadSettings, saveSettings, type Settings } from '../../agent/trust/settings.ts'
import { accessTo } from '../../agent/trust/access-to.ts'
import { enrollmentOf } from '../../agent/trust/enrollment.ts'
import type { AgentBundleMetadataDto } from '../../shared/dtos/agent-bundle.ts'
import { identityPath, type ServerIdentityDto } from '../../shared/server-identity.ts'
import { collectingLog, recordingStart, temporaryFolder } from '../agent/support.ts'
import { agentRelease } from './agent-release.ts'
import { filesOf, otherAuthority } from './certificates.ts'
import { startIdentityServer } from './identity-server.ts'
import { identityOf } from './pinned-device.ts'
import { useTestServer } from './server.ts'

const metadataPath = '/api/agent/updates/get-bundle-metadata/'

export const offerOf = async (url: string, runtime = 'LinuxX64') =>
  (await (await fetch(url + metadataPath + runtime)).json()) as AgentBundleMetadataDto

/** Settings of a device enrolled with a server, with the agent of a bundle that is no longer offered. */
export function installedIn(dataDir: string, changes: Partial<Settings['AppOptions']>) {
  const paths = pathsFor({ dataDir })
  const { privateKey } = generateKeyPairSync('ed25519')
  const AppOptions = {
    DeviceId: randomUUID(),
    PrivateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-32).toString('base64'),
    ServerUri: 'https://127.0.0.1:9',
    TenantId: randomUUID(),
    IsRegistered: true,
    ...changes,
  }
  saveSettings(paths, { AppOptions, InstanceOptions: {} })
  writeFileSync(join(dataDir, '.farhand-bundle.sha256'), 'A'.repeat(64))
  const settings = () => loadSettings(paths)!.AppOptions
  return {
    paths,
    settings,
    change: (changed: Partial<Settings['AppOptions']>) =>
      saveSettings(paths, { AppOptions: { ...settings(), ...changed }, InstanceOptions: {} }),
    /** Checks for an update like the running agent; without `isReal` the installer is not started. */
    async check({ isReal = false } = {}) {
      const { started, start } = recordingStart()
      const refusals: (string | null)[] = []
      const log = collectingLog()
      const updates = new Updates({
        clock: systemClock,
        log,
        paths,
        access: accessTo(paths, loadSettings(paths)!, log),
        tenantId: settings().TenantId,
        dataDir,
        isAutomaticOff: false,
        onRefusal: (reason) => void refusals.push(reason),
        ...(!isReal && { start }),
      })
      await updates.check({ isForced: true })
      return { started, refusals, lines: log.lines }
    },
  }
}

/** Writes a release whose agent does nothing: devices at the attacker only decide whether to install it. */
export const releaseOf = (folder: string, mark?: string) =>
  agentRelease(folder, { agent: 'exit 0', ...(mark !== undefined && { mark }) })

/**
 * Starts a server that offers an agent, an enrolled device, and between both an attacker with the server's TLS key and
 * its recorded responses, who answers the device with the last value of `say`.
 */
export async function sceneOfTheft() {
  const folder = temporaryFolder()
  const downloads = await releaseOf(join(folder, 'downloads'))
  const company = await otherAuthority()
  const { cert, key, keyObject } = await company.issue(['127.0.0.1'])
  const { pem } = await filesOf({ pem: cert + key })
  const server = await useTestServer({
    listenOn: 'https://127.0.0.1:0',
    settings: { DownloadsDirectory: downloads, Tls__CertificatePath: pem },
    trusted: [company.pem],
  })
  const identity = await identityOf(server.url)
  const document = (await (await fetch(server.url + identityPath)).json()) as ServerIdentityDto
  const genuine = await offerOf(server.url)
  let offer: unknown = genuine
  const files = new Map<string, Buffer>()
  const thief = await startIdentityServer({ certificate: cert, key: keyObject }, document, {
    answer(request, response) {
      const path = request.url ?? ''
      const file = join(downloads, path.replace('/downloads/', ''))
      if (path.startsWith(metadataPath)) {
        response.end(JSON.stringify(offer))
      } else {
        response.end(files.get(path) ?? (existsSync(file) ? readFileSync(file) : undefined))
      }
    },
  })
  const binding = enrollmentOf(identity, thief.url)
  const device = installedIn(join(folder, 'device'), { ServerUri: thief.url, ...binding })
  return {
    folder,
    downloads,
    server,
    identity,
    thief,
    genuine,
    device,
    /** Sets the offer of the attacker, and files that replace the genuine ones. */
    say(next: unknown, replaced: Record<string, string | Buffer> = {}) {
      offer = next
      files.clear()
      Object.entries(replaced).forEach(([path, content]) => files.set(path, Buffer.from(content)))
    },
    /** Sets the address at which the device finds its server. */
    isAt: (url: string) =>
      device.change({ ServerUri: url, ServerAddresses: { ...device.settings().ServerAddresses!, Origins: [url] } }),
  }
}
