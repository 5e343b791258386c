import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Updates, type UpdateDependencies } from '../../../agent/capabilities/update.ts'
import { systemClock } from '../../../agent/base/clock.ts'
import { pathsFor } from '../../../agent/platform/paths.ts'
import type { CommandLine } from '../../../agent/base/command-line.ts'
import { readState } from '../../../agent/device/state.ts'
import { openAccess } from '../../../agent/trust/access.ts'
import type { AgentBundleMetadataDto } from '../../../shared/dtos/agent-bundle.ts'
import { installerKey } from '../../support/agent.ts'
import { agentRelease, typeIntoShell } from '../../support/agent-release.ts'
import { startServerProcess, temporaryFolder, type AtEnd } from '../../support/server-process.ts'
import { registerOwner } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { collectingLog, manualClock, recordingStart } from '../support.ts'

const ends: (() => void | Promise<void>)[] = []
const atEnd: AtEnd = (work) => void ends.push(work)
let device: Awaited<ReturnType<typeof installedDevice>>
beforeAll(async () => {
  if (process.platform === 'linux') {
    device = await installedDevice()
  }
})
afterAll(async () => {
  for (const work of ends.toReversed()) {
    await work()
  }
})

/** Starts a server that offers an agent, and a device with an installed agent. */
async function installedDevice() {
  const folder = await temporaryFolder(atEnd)
  const downloads = await agentRelease(join(folder, 'downloads'))
  const settings = { DownloadsDirectory: downloads, Updates__AgentRings: 'false' }
  const server = await startServerProcess(join(folder, 'data'), settings, {}, atEnd)
  const owner = await registerOwner(server.url)
  const { id, keySecret } = await installerKey(owner)
  const device = join(folder, 'device')
  const program = join(device, 'program')
  atEnd(async () => {
    await typeIntoShell(`${join(program, 'Farhand.Agent')} uninstall --data-dir ${device}`, {}, () => {})
  })
  const target = `-s ${server.url} -t ${owner.tenantId} -ki ${id} -ks ${keySecret} --data-dir ${device}`
  const { status, output } = await typeIntoShell(
    `sh ${downloads}/linux-x64/Farhand.Agent.Installer install ${target}`,
    {},
    atEnd,
  )
  expect([status, output]).toEqual([0, expect.any(String)])
  const paths = pathsFor({ dataDir: device })
  const log = collectingLog()
  const updates = (changes: Partial<UpdateDependencies> = {}) =>
    new Updates({
      clock: systemClock,
      log,
      paths,
      access: openAccess(server.url),
      tenantId: owner.tenantId,
      dataDir: device,
      isAutomaticOff: false,
      ...changes,
    })
  const textOf = (name: string) =>
    existsSync(join(device, name)) ? readFileSync(join(device, name), 'utf8').trim() : ''
  return {
    downloads,
    paths,
    log,
    updates,
    /** Mark and hash of the installed bundle. */
    mark: () => textOf('program/current/mark'),
    versions: () => readdirSync(join(program, 'versions')),
    bundle: () => textOf('.farhand-bundle.sha256'),
    failed: () => textOf('.farhand-bundle.failed'),
    pid: () => readState(paths)?.pid,
    isOnline: () => readState(paths)?.state === 'online',
    installerLog: () => textOf('Logs/Installer/Installer.log'),
  }
}

test.runIf(process.platform === 'linux')(
  'a new bundle takes the place of the old one, and its agent comes online',
  { timeout: 60_000 },
  async () => {
    const [before, pid] = [device.bundle(), device.pid()]
    await device.updates().check()
    expect(device.log.lines.at(-1)).toContain('There is no update')

    await agentRelease(device.downloads, { mark: 'the next one' })
    await device.updates().check()
    // The old version is removed last.
    await until(() => device.bundle() !== before && device.versions().length === 1 && device.pid() !== pid)
    expect(device.mark()).toBe('the next one')
    expect(device.isOnline()).toBe(true)
    expect(device.pid()).not.toBe(pid)
    await until(() => device.installerLog().includes('is online.'))
    await device.updates().check()
    expect(device.log.lines.at(-1)).toContain('There is no update')
  },
)

test.runIf(process.platform === 'linux')(
  'a bundle whose agent does not run changes nothing, and is tried again only when asked for',
  { timeout: 60_000 },
  async () => {
    const [before, pid, mark] = [device.bundle(), device.pid(), device.mark()]
    await agentRelease(device.downloads, { mark: 'broken', agent: 'exit 1' })
    await device.updates().check()
    await until(() => device.failed())
    await until(() => device.versions().length === 1)
    expect([device.mark(), device.bundle(), device.pid()]).toEqual([mark, before, pid])

    const { started, start } = recordingStart()
    const refusals: (string | null)[] = []
    const updates = device.updates({ start, onRefusal: (reason) => void refusals.push(reason) })
    await updates.check()
    expect(started).toEqual([])
    expect(refusals).toEqual([expect.stringMatching(/./)])
    // Asked for during a check that the agent has begun by itself.
    const begun = updates.check()
    await updates.check({ isForced: true })
    await begun
    expect(started.length).toBe(1)
  },
)

test.runIf(process.platform === 'linux')(
  'a version that installs itself and then does not come online is taken back, and the one before is online again',
  { timeout: 120_000 },
  async () => {
    const [before, mark, failed] = [device.bundle(), device.mark(), device.failed()]
    await agentRelease(device.downloads, { mark: 'broken', beforeNode: 'case $2 in run) exit 1 ;; esac' })
    await device.updates().check()
    await until(() => device.mark() === 'broken')
    await until(() => device.failed() !== failed)
    expect(device.installerLog()).toContain('The new agent did not come online, so the previous version was restored.')
    expect([device.mark(), device.bundle()]).toEqual([mark, before])
    await until(device.isOnline)
    await until(() => device.versions().length === 1)
  },
)

test.runIf(process.platform === 'linux').each([
  ['without a word', '', 'The installer ended with status 0 and replaced nothing: see its log.'],
  ['with a reason', 'Error: There is no space left.\n', 'There is no space left.'],
])(
  'an installer that ends %s while this agent still runs has failed, and the server is told',
  async (_, written, reason) => {
    await agentRelease(device.downloads, { mark: `an update that does nothing ${written}` })
    const refusals: (string | null)[] = []
    const start = async (_: CommandLine, outputFile = '') => {
      appendFileSync(outputFile, written)
      return { ended: Promise.resolve('status 0') }
    }
    const updates = device.updates({ start, onRefusal: (refusal) => void refusals.push(refusal) })
    await updates.check()
    await until(() => refusals.length > 0)
    expect(refusals).toEqual([reason])
    expect(updates.hasStarted).toBe(false)
  },
)

test.runIf(process.platform === 'linux')(
  'nothing is started for a tenant that is none, or an agent without a bundle',
  { timeout: 60_000 },
  async () => {
    await agentRelease(device.downloads, { mark: 'another one' })
    const { started, start } = recordingStart()
    await device.updates({ start, tenantId: '00000000-0000-0000-0000-000000000000' }).check({ isForced: true })
    await device.updates({ start, paths: pathsFor({ dataDir: `${device.downloads}-none` }) }).check({ isForced: true })
    expect(started).toEqual([])
    expect(device.log.lines.at(-1)).toContain('no tenant of its own')
    await device.updates({ start }).check()
    expect(started).toEqual([
      [
        expect.any(String),
        expect.stringContaining('Installer.sh'),
        'install',
        '--server-uri',
        expect.any(String),
        '--tenant-id',
        expect.any(String),
        '--bundle-sha256',
        expect.any(String),
        '--data-dir',
        expect.any(String),
      ],
    ])
  },
)

test.runIf(process.platform === 'linux')(
  'an installer with another hash than announced, or from elsewhere, is not started',
  async () => {
    const metadata: AgentBundleMetadataDto = {
      brandName: 'Farhand',
      publisher: 'Farhand',
      runtime: 'linux-x64',
      version: '9.9.9.9',
      bundleDownloadUrl: '/downloads/linux-x64/Farhand.Agent.bundle.zip',
      bundleSha256: 'B'.repeat(64),
      installerDownloadUrl: '/installer',
      installerSha256: createHash('sha256').update('the installer').digest('hex'),
    }
    let offered = metadata
    const http = createServer((request, response) => {
      response.end(request.url === '/installer' ? 'another installer' : JSON.stringify(offered))
    })
    await once(http.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void http.close())
    const serverUri = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    const dataDir = join(await temporaryFolder(), 'device')
    const paths = pathsFor({ dataDir })
    mkdirSync(dataDir, { mode: 0o700 })
    writeFileSync(join(dataDir, '.farhand-bundle.sha256'), 'A'.repeat(64))
    const log = collectingLog()
    const { started, start } = recordingStart()
    const deps = {
      clock: systemClock,
      log,
      paths,
      access: openAccess(serverUri),
      tenantId: 'tenant',
      isAutomaticOff: false,
      start,
    }
    const reasonFor = async (changes: Partial<AgentBundleMetadataDto>) => {
      offered = { ...metadata, ...changes }
      await new Updates(deps).check()
      return log.lines.at(-1)
    }
    expect(await reasonFor({})).toContain('The installer is damaged')
    expect(await reasonFor({ installerDownloadUrl: 'http://127.0.0.2:9/installer' })).toContain(
      'which is not the server',
    )
    expect(await reasonFor({ brandName: 'Other' })).toContain('another brand')
    expect(await reasonFor({ publisher: 'Other' })).toContain('another brand')
    expect(started).toEqual([])
    const installerSha256 = createHash('sha256').update('another installer').digest('hex')
    expect(await reasonFor({ installerSha256 })).toContain('Updating the agent')
    expect(started.length).toBe(1)
  },
)

test('the agent checks for updates within two minutes of connecting, then every six hours, unless switched off', () => {
  const paths = pathsFor({ dataDir: '/nowhere' })
  const checks = (isAutomaticOff: boolean, ms: number) => {
    const clock = manualClock()
    const updates = new Updates({
      clock,
      random: () => 0.5,
      log: collectingLog(),
      paths,
      access: openAccess('http://127.0.0.1:9'),
      tenantId: '',
      isAutomaticOff,
    })
    let count = 0
    updates.check = async () => void count++
    updates.connected()
    updates.connected()
    clock.advance(ms)
    updates.stop()
    clock.advance(ms)
    return count
  }
  expect(checks(false, 10_000)).toBe(0)
  expect(checks(false, 120_000)).toBe(1)
  expect(checks(false, 13 * 3_600_000)).toBe(3)
  expect(checks(true, 13 * 3_600_000)).toBe(0)
})
