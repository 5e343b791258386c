import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { previousVersion, readJournal, writeJournal } from '../../server/engines/process/program-home.ts'
import { desktopKinds, linesOf, program, type DesktopKind, type Manner } from '../support/desktop-kinds.ts'
import { dataIn, notesIn, offer, stagedJournal, trustedKey } from '../support/installation.ts'
import { createTestLog } from '../support/log.ts'
import { useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { newMachine } from './start-shell.ts'

const kinds = Object.keys(desktopKinds) as DesktopKind[]

/** Machine whose person starts 0.1.0.0. */
async function installed(kind: DesktopKind) {
  const machine = await newMachine()
  onTestFinished(() => machine[Symbol.dispose]())
  const { electron, folder } = machine
  const data = dataIn(folder)
  vi.stubEnv('Service_DataDirectory', data)
  electron.app.isPackaged = true
  onTestFinished(() => {
    electron.app.isPackaged = false
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  const { started, stage } = desktopKinds[kind](folder)
  const update = await import('../../main/desktop-update.ts')
  const host = update.desktopHost()
  if (host?.desktop === undefined) {
    throw new Error('A packaged program replaces itself.')
  }
  return { electron, folder, host, desktop: host.desktop, update, data, started, stage }
}

/** Machine on which 0.2.0.0 was fetched and its keeper begins. */
async function scene(kind: DesktopKind, manner: Manner) {
  const made = await installed(kind)
  const { folder, host, desktop, update, data, stage } = made
  const next = path.join(host.home.folder, 'versions', '0.2.0.0-1')
  mkdirSync(next, { recursive: true })
  stage(next, '0.2.0.0', manner)
  await desktop.keepRunning()
  const journal = stagedJournal({
    from: { name: '0.1.0.0', version: '0.1.0.0' },
    to: { name: '0.2.0.0-1', version: '0.2.0.0' },
    dataDirectory: data,
  })
  writeJournal(host.home, journal)
  const log = createTestLog()
  const told: string[] = []
  const keep = async (flags = [update.keepFlag]) => {
    process.argv.push(...flags)
    await update.keepUpdate(log, async (problem) => void told.push(problem))
    flags.forEach(() => process.argv.pop())
  }
  const starts = () => linesOf(path.join(folder, 'started'))
  return { ...made, journal, log, told, starts, keep }
}

describe.runIf(process.platform === 'linux').each(kinds)('a desktop program as %s', (kind) => {
  test('is replaced by a version that is well, which goes on alone, and back again when asked', async () => {
    const { electron, host, update, data, started, journal, starts, keep } = await scene(kind, 'well')
    const before = readFileSync(started, 'utf8')
    expect(update.isUpdatePending()).toBe(true)
    await keep()
    expect(electron.app.quits).toBe(1)
    expect(readJournal(host.home)).toMatchObject({ step: 'ended', outcome: 'installed', reason: null })
    expect(update.isUpdatePending()).toBe(false)
    expect(readFileSync(started, 'utf8')).toBe(program('0.2.0.0', 'well'))
    expect(statSync(started).mode & 0o111).not.toBe(0)
    await until(() => starts().length === 2)
    expect(starts()).toEqual(['0.2.0.0 --on-trial', '0.2.0.0 goes on alone'])
    expect(notesIn(data)).toEqual(['first', '0.2.0.0'])

    const previous = previousVersion(host.home)!
    expect(previous).toMatchObject({ name: '0.1.0.0', version: '0.1.0.0', copy: journal.id })
    writeJournal(host.home, {
      ...journal,
      id: randomUUID(),
      kind: 'back',
      from: journal.to,
      to: journal.from,
      restoreFrom: previous.copy,
    })
    await keep()
    expect(readJournal(host.home)).toMatchObject({ step: 'ended', outcome: 'returned' })
    expect(readFileSync(started, 'utf8')).toBe(before)
    expect(notesIn(data)).toEqual(['first'])
    await until(() => starts().at(-1)?.startsWith('0.1.0.0'))
  }, 30_000)

  test('whose new version fails keeps its version and its data, and is started again', async () => {
    const { host, data, started, log, starts, keep } = await scene(kind, 'dies')
    await keep()
    expect(readJournal(host.home)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('ended before it was well: status 3') as string,
    })
    expect(log.claimErrors(/given up/).length).toBe(1)
    expect(readFileSync(started, 'utf8')).toBe(program('0.1.0.0', 'well'))
    expect(notesIn(data)).toEqual(['first'])
    await until(() => starts().length === 2)
    expect(starts()).toEqual(['0.2.0.0 --on-trial', '0.1.0.0'])
  }, 30_000)

  test('that runs already does not carry an update on twice', async () => {
    const { electron, host, journal, keep } = await scene(kind, 'well')
    electron.machine.hasLock = false
    await keep([])
    electron.machine.hasLock = true
    expect(readJournal(host.home)).toEqual(journal)
  })

  test('that a person starts during an update lets its copy carry on', async () => {
    const { host, starts, keep, update, journal } = await scene(kind, 'well')
    await keep([])
    await until(() => starts().length === 1)
    expect(starts()[0]).toContain(`0.1.0.0 `)
    expect(starts()[0]).toContain(update.keepFlag)
    expect(readJournal(host.home)).toEqual(journal)
  })
})

describe.runIf(process.platform === 'linux')('a Debian package', () => {
  test('is not replaced without an administrator, and the running version continues', async () => {
    const { folder, host, data, started, log, starts, keep } = await scene('Debian package', 'well')
    writeFileSync(path.join(folder, 'declined'), '')
    await keep()
    expect(readJournal(host.home)).toMatchObject({
      outcome: 'failed',
      reason: 'Installing farhand.deb 0.2.0.0 failed: status 126. Request dismissed',
    })
    expect(log.claimErrors(/could not continue/).length).toBe(1)
    expect(readFileSync(started, 'utf8')).toBe(program('0.1.0.0', 'well'))
    expect(notesIn(data)).toEqual(['first'])
    await until(() => starts().length === 1)
  })

  test('of a version that failed waits for an administrator with the way back, and says so', async () => {
    const { folder, host, data, started, log, told, starts, keep } = await scene('Debian package', 'dies')
    const keeping = keep()
    await until(() => starts().length === 1)
    writeFileSync(path.join(folder, 'declined'), '')
    await keeping
    expect(told).toEqual([expect.stringMatching(/^Installing farhand.deb 0.1.0.0 failed: status 126/)])
    expect(log.claimErrors(/given up|could not (be )?continue/).length).toBe(3)
    expect(readJournal(host.home)?.step).toBe('restoring')
    expect(starts()).toEqual(['0.2.0.0 --on-trial'])
    rmSync(path.join(folder, 'declined'))
    await keep()
    expect(readJournal(host.home)).toMatchObject({ step: 'ended', outcome: 'failed' })
    expect(readFileSync(started, 'utf8')).toBe(program('0.1.0.0', 'well'))
    expect(notesIn(data)).toEqual(['first'])
    // Scripts of the package that was made again ran.
    expect(linesOf(path.join(folder, 'configured'))).toEqual(['0.1.0.0', '0.2.0.0', '0.1.0.0'])
  }, 30_000)
})

test('a program in a folder of Windows keeps the uninstaller that its installer left', async () => {
  const { started, keep } = await scene('folder of Windows', 'well')
  await keep()
  expect(readdirSync(path.dirname(started)).toSorted()).toEqual(['Farhand.exe', 'Uninstall Farhand.exe'])
  expect(readdirSync(path.dirname(path.dirname(started)))).toEqual(['Farhand'])
}, 30_000)

test('a program from a checkout does not replace itself', async () => {
  using _machine = await newMachine()
  const { desktopHost, isUpdatePending } = await import('../../main/desktop-update.ts')
  expect(desktopHost()).toBeUndefined()
  expect(isUpdatePending()).toBe(false)
})

test('an AppImage in a folder that its user may not write to says so', async ({ skip }) => {
  if (process.getuid?.() === 0) {
    return skip('root may write everywhere')
  }
  const { host, started } = await installed('AppImage')
  chmodSync(path.dirname(started), 0o500)
  onTestFinished(() => chmodSync(path.dirname(started), 0o700))
  const { hostProblem } = await import('../../server/updates/program-host.ts')
  expect(hostProblem(host)).toContain('cannot be replaced')
})

test('an AppImage is fetched and verified beside the running one, and handed over to a keeper', async () => {
  const { folder, host } = await installed('AppImage')
  const feed = path.join(folder, 'feed')
  const name = '9.0.0.0/farhand-9.0.0.0.AppImage'
  mkdirSync(feed)
  const { archive } = await offer(feed, {
    version: '9.0.0.0',
    files: [{ name: 'any', content: 'bytes' }],
    file: { kind: 'desktop', path: name },
  })
  copyFileSync(archive, path.join(feed, name))
  const handOver = vi.fn()
  const server = await useTestServer({
    settings: { Updates__Feed: feed },
    machine: { releaseKeys: [trustedKey], updateHost: { ...host, handOver } },
  })
  const owner = await server.owner()
  expect((await owner.applianceUpdates.check({})).offered).toMatchObject({ version: '9.0.0.0', problem: null })
  await owner.applianceUpdates.install({ body: { version: '9.0.0.0' } })
  await until(() => handOver.mock.calls.length === 1)
  const journal = readJournal(host.home)!
  expect(journal).toMatchObject({
    step: 'staged',
    from: { name: '0.1.0.0', version: '0.1.0.0' },
    to: { version: '9.0.0.0' },
    dataDirectory: server.directory,
  })
  const file = (version: string) => path.join(host.home.folder, 'versions', version, 'Farhand.AppImage')
  expect(readFileSync(file(journal.to.name)).equals(readFileSync(archive))).toBe(true)
  expect(statSync(file(journal.to.name)).mode & 0o777).toBe(0o755)
  expect(readFileSync(file('0.1.0.0'), 'utf8')).toBe(program('0.1.0.0', 'well'))
  expect(existsSync(path.join(host.home.folder, 'versions', `.${journal.id}.package`))).toBe(false)
}, 30_000)
