/** The attacker has the server's TLS key and all of its recorded responses, but not the key that signs agents. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AgentReleaseStatement } from '../../shared/agent-release.ts'
import type { AgentBundleMetadataDto } from '../../shared/dtos/agent-bundle.ts'
import { temporaryFolder } from '../agent/support.ts'
import { connectViewer } from '../support/hub-client.ts'
import { documentOf, leafOf, newAuthority } from '../support/identity-server.ts'
import { isNight } from '../support/night.ts'
import { startPinnedDevice } from '../support/pinned-device.ts'
import { makeRestrictedToken } from '../support/restricted-token.ts'
import { useTestServer } from '../support/server.ts'
import { installedIn, offerOf, releaseOf, sceneOfTheft } from '../support/tls-thief.ts'
import { until } from '../support/until.ts'

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex').toUpperCase()
const tarPath = '/downloads/linux-x64/Farhand.Agent.bundle.tar.gz'
const installerPath = '/downloads/linux-x64/Farhand.Agent.Installer'
const ownInstaller = 'echo the installer of the thief'

/** Forges an offer with a changed statement, signed by another key; with `isPasted` under the genuine signature. */
function forged(
  offer: AgentBundleMetadataDto,
  changes: Partial<AgentReleaseStatement> = {},
  { isPasted = false } = {},
): AgentBundleMetadataDto {
  const { statement, signature } = offer.release!
  const bytes = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(statement, 'base64').toString()), ...changes }))
  const own = sign(null, bytes, generateKeyPairSync('ed25519').privateKey).toString('base64')
  return { ...offer, release: { statement: bytes.toString('base64'), signature: isPasted ? signature : own } }
}

const unknownKey = 'is signed with a key that this device does not know'
const newer = { build: Date.now() + 3_600_000 }

describe.runIf(process.platform === 'linux')('T39: the TLS key alone', () => {
  test('forwards signed files unchanged, so that the tests below fail only for their change', async () => {
    const { device, downloads, identity } = await sceneOfTheft()
    const { started, refusals } = await device.check()
    const tar = sha256(readFileSync(join(downloads, 'linux-x64/Farhand.Agent.bundle.tar.gz')))
    expect(started[0]?.join(' ')).toContain(`--bundle-sha256 ${tar.toLowerCase()}`)
    expect(refusals).toEqual([])
    expect(device.settings().ReleaseKey).toBe(identity.statement.releaseKeys?.at(-1)?.key)
    expect(device.settings().ReleaseBuild).toBeGreaterThan(Date.now() - 60_000)
  })

  test('offers no other agent, bundle, installer or version than the server signed', { timeout: 30_000 }, async () => {
    const { device, genuine, say, downloads, server } = await sceneOfTheft()
    cpSync(join(downloads, 'linux-x64'), join(downloads, 'linux-arm64'), { recursive: true })
    const offers: [AgentBundleMetadataDto, string][] = [
      [{ ...genuine, release: undefined }, 'without a signature'],
      [forged(genuine), unknownKey],
      [forged(genuine, newer), unknownKey],
      [forged(genuine, newer, { isPasted: true }), unknownKey],
      [await offerOf(server.url, 'LinuxArm64'), 'the agent for linux-arm64, and this device needs linux-x64'],
      [{ ...genuine, bundleSha256: 'B'.repeat(64) }, 'another bundle than its release key signed'],
      [{ ...genuine, installerSha256: sha256(ownInstaller) }, 'another installer than its release key signed'],
      [{ ...genuine, version: '9.9.9.9' }, 'another version than its release key signed'],
      [genuine, 'The installer is damaged'],
    ]
    for (const [offer, reason] of offers) {
      say(offer, { [installerPath]: ownInstaller })
      expect(await device.check()).toMatchObject({ started: [], refusals: [expect.stringContaining(reason)] })
    }
  })

  test('can swap the bundle of a signed offer, and the installer installs nothing', { timeout: 30_000 }, async () => {
    const { device, genuine, say, folder } = await sceneOfTheft()
    const other = await releaseOf(join(folder, 'other'), 'of the thief')
    const tar = readFileSync(join(other, 'linux-x64/Farhand.Agent.bundle.tar.gz'))
    say(genuine, { [tarPath]: tar, [`${tarPath}.sha256`]: `${sha256(tar).toLowerCase()}  bundle` })
    const { refusals } = await device.check({ isReal: true })
    const [reason] = await until(() => (refusals.length > 0 ? refusals : undefined))
    expect(reason).toContain('not what the release key of the server signed')
    expect(existsSync(join(folder, 'device/program'))).toBe(false)
  })

  test('installs no older agent of the server, however genuine', { timeout: 30_000 }, async () => {
    const { device, genuine: older, say, downloads, server } = await sceneOfTheft()
    await releaseOf(downloads, 'a repaired one')
    say(await offerOf(server.url))
    expect((await device.check()).started.length).toBe(1)
    say(older)
    const { started, refusals } = await device.check()
    expect([started, refusals]).toEqual([[], [expect.stringContaining('and this device has seen one of')]])
  })

  test('cannot make a device trust another release key by a statement', { timeout: 30_000 }, async () => {
    const { device, genuine, say, thief, identity } = await sceneOfTheft()
    const elsewhere = await newAuthority()
    const key = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    thief.say(documentOf(elsewhere, await leafOf(elsewhere), { releaseKeys: [{ key, signature: null }] }))
    say(forged(genuine))
    const { started, lines } = await device.check()
    expect([started, lines.at(-1)]).toEqual([[], expect.stringContaining('that of another server')])
    expect(device.settings().ReleaseKey).toBe(identity.statement.releaseKeys?.at(-1)?.key)
  })
})

describe.runIf(process.platform === 'linux')('T39: the operator', () => {
  test('permits a downgrade once, and needs the right to', async () => {
    const folder = join(temporaryFolder(), 'downloads')
    const offer = (mark: string) => releaseOf(folder, mark)
    await offer('older')
    const server = await useTestServer({ settings: { DownloadsDirectory: folder } })
    const owner = await server.owner()
    const { client } = await makeRestrictedToken(owner, ['device.read'])
    const releases = owner.applianceAgentReleases
    await releases.list({})
    // The sizes differ: files written within one tick of the file system's clock have the same time.
    await offer('newer and longer')
    await releases.list({})
    await offer('older')
    const [offered] = (await releases.list({})).items
    const params = { build: offered!.build }
    await expect(client.applianceAgentReleases.stepBack({ params })).rejects.toMatchObject({ status: 403 })
    expect((await releases.stepBack({ params })).items).toMatchObject([{ runtime: 'linux-x64', newer: null }])
    await expect(releases.stepBack({ params })).rejects.toMatchObject({ status: 409 })
  })

  test.runIf(isNight)('permits a downgrade by a signature, which cannot be replayed later', async () => {
    const { device, genuine, say, downloads, folder, server, isAt, thief } = await sceneOfTheft()
    const owner = await server.owner()
    isAt(server.url)
    await device.check()
    const kept = join(folder, 'kept')
    cpSync(downloads, kept, { recursive: true })
    await releaseOf(downloads, 'a broken one')
    expect((await device.check()).started.length).toBe(1)
    cpSync(kept, downloads, { recursive: true })
    expect((await device.check()).refusals).toEqual([expect.stringContaining('allow it on the Deploy page')])

    const releases = owner.applianceAgentReleases
    const [refused] = (await releases.list({})).items
    expect(refused).toMatchObject({ runtime: 'linux-x64', newer: { version: '1.2.3.0' } })
    await releases.stepBack({ params: { build: refused!.build } })
    const allowed = await offerOf(server.url)
    expect((await device.check()).started.length).toBe(1)

    await releaseOf(downloads, 'a repaired one')
    expect((await device.check()).started.length).toBe(1)
    isAt(thief.url)
    say(allowed)
    expect((await device.check()).refusals).toEqual([expect.stringContaining('has seen one of')])

    // Files that the server signed because they lay in its folder are in the audit log, each time.
    const signed = await server.rows<{ actorKind: string; details: string }>(
      "SELECT actorKind, details FROM audit_events WHERE kind = 'settings.release-signed' ORDER BY id",
    )
    expect(signed.map(({ actorKind }) => actorKind)).toEqual(['system', 'system', 'system'])
    expect(new Set(signed.map(({ details }) => JSON.parse(details).bundleSha256)).size).toBe(3)
    expect(signed[0]!.details).toContain(genuine.bundleSha256)
  })

  test('replaces the key, and devices follow from the key that they pinned', { timeout: 30_000 }, async () => {
    const { device, genuine, say, server, isAt, thief } = await sceneOfTheft()
    const owner = await server.owner()
    const { ReleaseKey: before } = device.settings()
    await owner.applianceAgentReleases.rotateKey({})
    await owner.applianceAgentReleases.rotateKey({})
    isAt(server.url)
    expect((await device.check()).started.length).toBe(1)
    const { ReleaseKey: after } = device.settings()
    expect(after).not.toBe(before)
    await server.restart()
    expect((await device.check()).started.length).toBe(1)
    expect(device.settings().ReleaseKey).toBe(after)
    isAt(thief.url)
    say(genuine)
    expect((await device.check()).refusals).toEqual([expect.stringContaining(unknownKey)])
  })
})

describe.runIf(process.platform === 'linux')('T39: a device that knows no release key yet', () => {
  test.runIf(isNight)('pins it once from a proved statement', async () => {
    const { device, genuine, say, identity } = await sceneOfTheft()
    device.change({ ReleaseKey: undefined })
    say(forged(genuine))
    expect((await device.check()).refusals).toEqual([expect.stringContaining(unknownKey)])
    expect(device.settings().ReleaseKey).toBe(identity.statement.releaseKeys?.at(-1)?.key)
  })

  test.runIf(isNight)('and pins no server pins it once from the address', async () => {
    const { folder, downloads, genuine } = await sceneOfTheft()
    const server = await useTestServer({ settings: { DownloadsDirectory: downloads } })
    const device = installedIn(join(folder, 'unpinned'), { ServerUri: server.url })
    expect((await device.check()).started.length).toBe(1)
    const http = createServer((request, response) =>
      request.url?.includes('get-bundle-metadata')
        ? response.end(JSON.stringify({ ...genuine, release: undefined }))
        : response.writeHead(404).end(),
    )
    await once(http.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void http.close())
    device.change({ ServerUri: `http://127.0.0.1:${(http.address() as AddressInfo).port}` })
    expect((await device.check()).refusals).toEqual([expect.stringContaining('without a signature')])
  })
})

test.runIf(process.platform === 'linux')(
  'T39: a device that enrolls pins the release key, and its page names the rejected update and the reason',
  { timeout: 60_000 },
  async () => {
    const { downloads } = await sceneOfTheft()
    const server = await useTestServer({
      listenOn: 'https://127.0.0.1:0',
      settings: { DownloadsDirectory: downloads },
    })
    const owner = await server.owner()
    const device = await startPinnedDevice(server, owner)
    expect(device.settings().ReleaseKey).toHaveLength(60)

    // Simulates an agent that has seen a release signed tomorrow.
    const file = join(device.folder, 'appsettings.json')
    const settings = JSON.parse(readFileSync(file, 'utf8'))
    settings.AppOptions.ReleaseBuild = Date.now() + 24 * 3_600_000
    writeFileSync(file, JSON.stringify(settings))
    writeFileSync(join(device.folder, '.farhand-bundle.sha256'), 'A'.repeat(64))
    const viewer = await connectViewer(owner)
    await viewer.SendAgentUpdateTrigger2({ deviceId: device.id })
    const told = await until(async () => {
      const { evidence } = await owner.applianceDevices.absence({ params: { deviceId: device.id } })
      return evidence.find(({ kind }) => kind === 'update-refused')
    })
    expect(told.detail).toContain('allow it on the Deploy page of the server')
  },
)
