import { randomUUID } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { previousVersion, readJournal, writeJournal, type Journal } from '../../server/updates/home.ts'
import { dataIn, notesIn, offer, trustedKey } from '../support/installation.ts'
import { createTestLog } from '../support/log.ts'
import { useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { newMachine } from './start-shell.ts'

/** A program in one file, with the manners that a test wants of a version. */
const program = (version: string, manner: 'well' | 'dies') => `#!${process.execPath}
const { appendFileSync } = require('node:fs')
const { DatabaseSync } = require('node:sqlite')
const data = process.env.Service_DataDirectory
const note = (text) => appendFileSync(data + '/../started', '${version}' + text + '\\n')
note(' ' + process.argv.slice(2).join(' '))
if (!process.send) process.exit(0)
new DatabaseSync(data + '/farhand.db').exec("INSERT INTO notes VALUES ('${version}')")
if ('${manner}' === 'dies') process.exit(3)
process.on('disconnect', () => (note(' goes on alone'), process.exit(0)))
require('node:http').createServer((request, response) => {
  response.end(request.url === '/health' ? 'Healthy' : '"${version}"')
}).listen(0, '127.0.0.1', function () {
  process.send({ farhand: 'listening', urls: ['http://127.0.0.1:' + this.address().port] })
  process.send({ farhand: 'agents-back', count: 0 })
})
`

/** Machine whose person starts an AppImage of 0.1.0.0. */
async function installed() {
  const machine = await newMachine()
  onTestFinished(() => machine[Symbol.dispose]())
  const { electron, folder } = machine
  const started = path.join(folder, 'Apps', 'Farhand.AppImage')
  mkdirSync(path.dirname(started))
  const write = (file: string, content: string) => {
    writeFileSync(file, content)
    chmodSync(file, 0o755)
  }
  write(started, program('0.1.0.0', 'well'))
  const data = dataIn(folder)
  vi.stubEnv('APPIMAGE', started)
  vi.stubEnv('Service_DataDirectory', data)
  electron.app.isPackaged = true
  onTestFinished(() => {
    electron.app.isPackaged = false
    vi.unstubAllEnvs()
  })
  const { desktopHost } = await import('../../main/updates.ts')
  const host = desktopHost()
  if (host?.kind !== 'versions') {
    throw new Error('An AppImage replaces itself.')
  }
  return { electron, folder, host, data, started, write }
}

/** Machine on which 0.2.0.0 was fetched and its keeper begins. */
async function scene(manner: 'well' | 'dies') {
  const { electron, folder, host, data, started, write } = await installed()
  const next = path.join(host.home.folder, 'versions', '0.2.0.0-1', 'Farhand.AppImage')
  mkdirSync(path.dirname(next))
  write(next, program('0.2.0.0', manner))
  host.desktop?.keepRunning()
  const journal: Journal = {
    id: randomUUID(),
    kind: 'install',
    from: { name: '0.1.0.0', version: '0.1.0.0' },
    to: { name: '0.2.0.0-1', version: '0.2.0.0' },
    dataDirectory: data,
    online: [],
    step: 'staged',
    attempts: 0,
    restoreFrom: null,
    reason: null,
    outcome: null,
    startedAt: 1,
    endedAt: null,
  }
  writeJournal(host.home, journal)
  const { isUpdatePending, keepUpdate } = await import('../../main/app-image.ts')
  const log = createTestLog()
  const starts = () => {
    const file = path.join(folder, 'started')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }
  return { electron, host, data, started, journal, log, starts, isUpdatePending, keep: () => keepUpdate(log) }
}

test('an AppImage is replaced by a version that is well, which goes on alone, and back again when asked', async () => {
  const { electron, host, data, started, journal, starts, isUpdatePending, keep } = await scene('well')
  const before = readFileSync(started, 'utf8')
  expect(isUpdatePending()).toBe(true)
  await keep()
  expect(electron.app.quits).toBe(1)
  expect(readJournal(host.home)).toMatchObject({ step: 'ended', outcome: 'installed' })
  expect(isUpdatePending()).toBe(false)
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

test('an AppImage whose new version fails stays, with the data of before, and is started again', async () => {
  const { host, data, started, log, starts, keep } = await scene('dies')
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

test('an AppImage that runs already does not carry an update on twice', async () => {
  const { electron, host, journal, keep } = await scene('well')
  electron.machine.hasLock = false
  await keep()
  electron.machine.hasLock = true
  expect(readJournal(host.home)).toEqual(journal)
})

test('an AppImage in a folder that its user may not write to says so', async ({ skip }) => {
  if (process.getuid?.() === 0) {
    return skip('root may write everywhere')
  }
  const { host, started } = await installed()
  chmodSync(path.dirname(started), 0o500)
  onTestFinished(() => chmodSync(path.dirname(started), 0o700))
  const { hostProblem } = await import('../../server/updates/host.ts')
  expect(hostProblem(host)).toContain('cannot be replaced')
})

test('an AppImage is fetched and verified beside the running one, and handed over to a keeper', async () => {
  const { folder, host } = await installed()
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
}, 30_000)
