import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openBare } from '../../../server/engines/database/connection.ts'
import { loadConfig } from '../../../server/settings/config.ts'
import { openApp, type Stop } from '../../../server/open-app.ts'
import { readState } from '../../../server/backup/backup-state.ts'
import { followFolder } from '../../../server/backup/backup-folder.ts'
import { backUpBeforeUpdate } from '../../../server/backup/schedule.ts'
import { freePort } from '../../../tools/simulate/free-port.ts'
import { createTestLog } from '../../support/log.ts'
import { headerOf } from '../../../server/backup/header.ts'
import { manualClock } from '../../support/clock.ts'
import { isNight } from '../../support/night.ts'
import { addUser } from '../../support/people.ts'
import { recoveryKeyIn, runBackupCommand } from '../../support/backup-command.ts'
import { account, ownerForFile, serverForFile, signInTo, Visitor, useTestServer } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'

const clock = manualClock()
const server = serverForFile({ clock })
const owner = ownerForFile(server)
let folder: string
let recoveryKey: string
const dayMs = 24 * 60 * 60 * 1000

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farhand-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const settings = () => ({ folder, hour: 2, keepDaily: 7, keepWeekly: 4, keepMonthly: 6 })
/** The session of the file's owner expires while the clock runs. */
const signedIn = () => signInTo(server.url)
const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: { status: number; problem?: { detail?: string } }) => `${error.status} ${error.problem?.detail}`,
  )
const lastAt = async () => (await server.rows<{ lastAt: number }>('SELECT lastAt FROM backup_state'))[0]!.lastAt
/**
 * Waits for a condition while jobs come due, each again after one that still ran. Most looks leave the clock alone: on a
 * busy machine, all other jobs would otherwise run without a pause beside the copy.
 */
const later = (condition: () => Promise<boolean>) => {
  let looks = 0
  return until(async () => {
    if (looks++ % 20 === 0) {
      clock.advance(15 * 60_000)
    }
    return condition()
  })
}
const kindsOf = async (kind: string) =>
  server.rows<{ outcome: string }>('SELECT outcome FROM audit_events WHERE kind = ? ORDER BY id', kind)

test('without a recovery key or a folder no copy is made, and the reason names the missing one', async () => {
  expect(await owner.applianceBackup.get({})).toMatchObject({ recoveryKey: null, newest: null, isOld: false })
  expect(await problemOf(owner.applianceBackup.make({}))).toMatch(/^409 There is no backup folder yet/)
  const changed = await owner.applianceBackup.changeSettings({ body: settings() })
  expect(changed.settings).toEqual(settings())
  expect(await server.rows('SELECT hour, keepDaily, keepWeekly, keepMonthly FROM backup_state')).toEqual([
    { hour: 2, keepDaily: 7, keepWeekly: 4, keepMonthly: 6 },
  ])
  expect(await problemOf(owner.applianceBackup.make({}))).toMatch(/^409 There is no recovery key yet/)
})

test('a folder that cannot hold copies is refused', async () => {
  const put = (path: string) =>
    problemOf(owner.applianceBackup.changeSettings({ body: { ...settings(), folder: path } }))
  await writeFile(join(folder, 'file'), '')
  expect(await put('relative')).toMatch(/^409 relative is not a full path/)
  expect(await put(server.directory)).toMatch(/^409 The backup folder lies in the data folder/)
  expect(await put(join(folder, 'a', 'b', 'c'))).toMatch(/^409 .+ does not exist: connect its disk/)
  expect(await put(join(folder, 'file'))).toMatch(/^409 .+ is not a folder/)
})

test('a recovery key is shown once, and proved later', async () => {
  const made = await owner.applianceBackup.makeRecoveryKey({})
  recoveryKey = made.recoveryKey
  const { recoveryKey: state } = await owner.applianceBackup.get({})
  expect(state).toMatchObject({ fingerprint: made.fingerprint, provedAt: null })
  expect(JSON.stringify(await server.rows('SELECT * FROM backup_state'))).not.toContain(recoveryKey)
  const prove = (typed: string) => owner.applianceBackup.proveRecoveryKey({ body: { recoveryKey: typed } })
  expect(await problemOf(prove(recoveryKey.replaceAll(/[0-9]/g, '').slice(1)))).toMatch(
    /^409 This is not a recovery key/,
  )
  const proved = await prove(recoveryKey.toLowerCase())
  expect(proved.recoveryKey?.provedAt).not.toBeNull()
})

test('a copy made now is listed, rehearsed, logged, and holds no secret in clear', async () => {
  const { newest } = await owner.applianceBackup.make({})
  const { items } = await owner.applianceBackup.copies({})
  expect(items).toMatchObject([{ path: newest!.path, bytes: newest!.bytes, isOwn: true }])
  expect(await owner.applianceBackup.get({})).toMatchObject({ isOnDiskOfData: true })
  const rehearsed = await owner.applianceBackup.rehearse({})
  expect(rehearsed.rehearsal).toMatchObject({ path: newest!.path, problem: null, counts: { people: 1, devices: 0 } })
  expect([await kindsOf('backup.made'), await kindsOf('backup.checked')]).toEqual([
    [{ outcome: 'failure' }, { outcome: 'failure' }, { outcome: 'success' }],
    [{ outcome: 'success' }],
  ])
  expect((await stat(newest!.path)).mode & 0o777).toBe(0o600)
  const { secrets } = JSON.parse(await readFile(join(server.directory, 'secrets.json'), 'utf8')) as {
    secrets: Record<string, string>
  }
  const [user] = await server.rows<{ passwordHash: string }>('SELECT passwordHash FROM users')
  const [release] = await server.rows<{ publicKey: string }>('SELECT publicKey FROM backup_state')
  const master = Buffer.from(secrets['master-key']!, 'base64')
  const bytes = await readFile(newest!.path)
  const clear = [
    account.email,
    recoveryKey,
    release!.publicKey,
    user!.passwordHash,
    'SQLite format 3',
    'tls_identity',
    master,
    secrets['master-key']!,
    master.toString('hex'),
    master.toString('base64url'),
  ]
  for (const secret of clear) {
    expect(bytes.includes(secret), String(secret).slice(0, 20)).toBe(false)
  }
  // The same search finds what is there.
  expect(bytes.includes('farhand-backup 1')).toBe(true)
})

test('a copy removes the partial file of a killed process, and leaves the one that another server writes', async () => {
  const [left, written] = ['left', 'written'].map((name) => join(folder, `farhand-${name}.farhand-backup.partial`))
  for (const [path, ageMs] of [
    [left!, 2 * 60 * 60_000],
    [written!, 0],
  ] as const) {
    await writeFile(path, '')
    await utimes(path, new Date(), new Date(clock.now() - ageMs))
  }
  await owner.applianceBackup.make({})
  expect([existsSync(left!), existsSync(written!)]).toEqual([false, true])
  await rm(written!)
})

test('each night makes a copy, and old ones of this server alone are removed', async () => {
  const foreign = join(folder, 'other.farhand-backup')
  await writeFile(foreign, 'not ours')
  await owner.applianceBackup.changeSettings({ body: { ...settings(), keepDaily: 2, keepWeekly: 1, keepMonthly: 1 } })
  const [first] = await owner.applianceBackup.copies({}).then(({ items }) => items)
  for (let night = 1; night <= 3; night++) {
    const before = await lastAt()
    clock.advance(dayMs)
    await later(async () => (await lastAt()) !== before)
  }
  const member = await signedIn()
  const items = await until(async () => {
    const { items: copies } = await member.applianceBackup.copies({})
    return copies.filter(({ isOwn }) => isOwn).length === 2 ? copies : undefined
  })
  expect(items.map(({ name }) => name)).not.toContain(first!.name)
  expect(items.map(({ path }) => path)).toContain(foreign)
  // A week after the first rehearsal.
  clock.advance(7 * dayMs)
  await later(async () => (await kindsOf('backup.checked')).length >= 2)
})

test('administrators get one notice with the reason when no copy was made for two days', async () => {
  const away = `${folder}-away`
  await rename(folder, away)
  for (let night = 1; night <= 3; night++) {
    clock.advance(dayMs)
    await later(
      async () => (await kindsOf('backup.made')).filter(({ outcome }) => outcome === 'failure').length > night,
    )
  }
  const member = await signedIn()
  const notices = async () => (await member.applianceNotices.list({})).items.filter(({ kind }) => kind === 'backup-old')
  await later(async () => (await notices()).length > 0)
  expect(await notices()).toHaveLength(1)
  const { isOld, failure } = await member.applianceBackup.get({})
  expect([isOld, failure?.reason]).toEqual([true, expect.stringMatching(/does not exist: connect its disk/)])
  const inReport = async () => (await member.applianceHealth.report({})).checks.find(({ id }) => id === 'backup')
  expect(await inReport()).toMatchObject({ state: 'problem', summary: expect.stringContaining('the last one failed') })
  await rename(away, folder)
  const made = await member.applianceBackup.make({})
  expect([made.isOld, made.failure]).toEqual([false, null])
  await later(async () => (await inReport())?.state === 'warning')
  expect(await inReport()).toMatchObject({ summary: expect.stringContaining('restorable, checked') })
})

test('a newest copy that was cut off is found by the rehearsal', async () => {
  const member = await signedIn()
  clock.advance(60_000)
  const { newest } = await member.applianceBackup.make({})
  await truncate(newest!.path, newest!.bytes - 1)
  const { rehearsal } = await member.applianceBackup.rehearse({})
  expect(rehearsal).toMatchObject({ problem: expect.stringContaining('damaged or cut off') as string, counts: null })
  await rm(newest!.path)
})

test('a person without the permission can neither read nor change anything', async () => {
  const owner = await signedIn()
  const member = await addUser(server, owner)
  const calls = [
    member.applianceBackup.get({}),
    member.applianceBackup.copies({}),
    member.applianceBackup.make({}),
    member.applianceBackup.rehearse({}),
    member.applianceBackup.changeSettings({ body: settings() }),
    member.applianceBackup.makeRecoveryKey({}),
    member.applianceBackup.proveRecoveryKey({ body: { recoveryKey } }),
    member.applianceBackup.restoreCopy({ body: { path: '/nowhere', recoveryKey } }),
  ]
  const answers = await Promise.all(calls.map(problemOf))
  expect(answers.map((answer) => answer.slice(0, 3))).toEqual(calls.map(() => '403'))
  const first = await problemOf(
    server.visitor().applianceBackup.restoreFirst({ body: { path: '/nowhere', recoveryKey } }),
  )
  expect(first).toMatch(/^404 This server has accounts/)
})

describe.runIf(isNight)('commands', () => {
  test('beside the running server write a copy, and restore it into an empty folder where the server starts', async () => {
    const file = join(folder, 'by-command.farhand-backup')
    const written = await runBackupCommand(server.directory, ['backup', file])
    expect([written.status, written.stdout]).toEqual([0, expect.stringContaining(`Backup written: ${file}`)])
    const again = await runBackupCommand(server.directory, ['backup', file])
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('exists already')])
    const checked = await runBackupCommand(server.directory, ['recovery-key', 'check'], `Recovery key: ${recoveryKey}`)
    expect(checked.stdout).toContain('This is the recovery key of this server.')
    const target = join(folder, 'restored')
    const wrong = await runBackupCommand(target, ['restore', file], `${recoveryKey.slice(0, -5)}00000`)
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('Group 8 of the recovery key')])
    const restored = await runBackupCommand(target, ['restore', file], recoveryKey)
    expect([restored.status, restored.stdout]).toEqual([0, expect.stringContaining('Restored the backup of')])
    const process = await startServerProcess(target)
    await signInTo(process.url)
    await process.stop()
    const database = await openBare(join(target, 'farhand.db'), 0)
    expect(await database.all("SELECT actorName FROM audit_events WHERE kind = 'server.restored'")).toEqual([
      { actorName: 'Somebody at the computer of this server' },
    ])
    // The run of the server whose backup this is did not vanish.
    expect(await database.all('SELECT ending FROM server_runs ORDER BY startedAt DESC LIMIT 2')).toEqual([
      { ending: 'stopped' },
      { ending: 'restored' },
    ])
    await database.close()
    const stopped = await runBackupCommand(target, ['recovery-key', 'new'])
    expect(stopped.status).toBe(0)
    const other = join(folder, 'other-key.farhand-backup')
    const later = await runBackupCommand(target, ['backup', other])
    expect([later.status, later.stderr]).toEqual([0, ''])
    expect((await headerOf(other)).recoveryKey).not.toBe((await headerOf(file)).recoveryKey)
    expect(recoveryKeyIn(stopped.stdout)).not.toBe(recoveryKey)
  })
  test('a recovery key names earlier backups only where there was an earlier key', async () => {
    const { directory } = await useTestServer()
    const first = await runBackupCommand(directory, ['recovery-key', 'new'])
    const second = await runBackupCommand(directory, ['recovery-key', 'new'])
    const mentions = [first, second].map(({ stdout }) => stdout.includes('earlier recovery key'))
    expect([first.status, second.status, ...mentions]).toEqual([0, 0, false, true])
  })

  test('before an update a copy is made in the folder, which a damaged database names, and a failure stops the update', async () => {
    const target = join(folder, 'restored')
    const config = loadConfig({ env: { Service_DataDirectory: target } })
    const stops: Stop[] = []
    const log = createTestLog()
    const { app } = await openApp(config, { log, secretStore: 'file' }, (stop) => void stops.push(stop))
    const made = await backUpBeforeUpdate(app)
    expect((await headerOf(made!.path)).serverId).toMatch(/^[0-9a-f]{32}$/)
    // As after a restore of this copy, whose data knows no copy yet.
    const note = join(target, 'backup-folder.json')
    await rm(note, { force: true })
    const none = { lastAt: null, lastBytes: null, lastPath: null }
    await app.database.write((transaction) =>
      app.models.BackupState.update(none, { where: { id: 'server' }, transaction }),
    )
    await followFolder(app)
    expect(await readState(app)).toMatchObject({ lastPath: made!.path, lastBytes: made!.bytes })
    expect(JSON.parse(await readFile(note, 'utf8'))).toMatchObject({ unusable: null })
    const change = { folder: join(folder, 'gone') }
    await app.database.write((transaction) =>
      app.models.BackupState.update(change, { where: { id: 'server' }, transaction }),
    )
    await expect(backUpBeforeUpdate(app)).rejects.toThrow('does not exist: connect its disk')
    for (const stop of stops.toReversed()) {
      await stop()
    }
    await writeFile(join(target, 'farhand.db'), 'no database')
    await expect(openApp(config, { log, secretStore: 'file' }, () => {})).rejects.toThrow(
      /damaged.+The newest backup was made on .+with its recovery key.+ restore ".+\.farhand-backup"$/,
    )
  })

  test('a new server without accounts restores a copy from its first page, and restarts with it', async () => {
    const file = join(folder, 'by-command.farhand-backup')
    const port = await freePort()
    const fresh = await startServerProcess(join(folder, 'fresh'), { Urls: `http://127.0.0.1:${port}` })
    const send = (typed: string) => {
      const body = new FormData()
      body.set('recoveryKey', typed)
      body.set('setupCode', '')
      body.set('file', copyOf, 'copy.farhand-backup')
      return fetch(`${fresh.url}/api/appliance/v1/first-run/uploads`, { method: 'POST', body })
    }
    const copyOf = new Blob([await readFile(file)])
    const visitor = new Visitor(fresh.url)
    const wrong = await problemOf(
      visitor.applianceBackup.restoreFirst({ body: { path: join(folder, 'file'), recoveryKey } }),
    )
    expect(wrong).toMatch(/^409 .+ is not a backup of Farhand/)
    const refused = await send('00000-00000')
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('This is not a recovery key')])
    const answer = await send(recoveryKey)
    expect(await answer.json()).toMatchObject({ restarts: true, counts: { people: 2 } })
    await until(() => signInTo(fresh.url).catch(() => undefined))
    expect((await readdir(join(folder, 'fresh'))).filter((name) => name.startsWith('before-restore-'))).toHaveLength(1)
    expect((await send(recoveryKey)).status).toBe(404)
    await fresh.stop()
    const database = await openBare(join(folder, 'fresh', 'farhand.db'), 0)
    const rows = await database.all(
      `SELECT actorKind, address, outcome, details ->> 'count' > 0 AS isAnyLost, details ->> 'firstAt' AS firstAt
       FROM audit_events WHERE kind IN ('server.restored', 'server.audit-log-replaced') ORDER BY id DESC LIMIT 2`,
    )
    const byVisitor = { actorKind: 'anonymous', address: '127.0.0.1', outcome: 'success' }
    expect(rows).toEqual([
      { ...byVisitor, isAnyLost: 1, firstAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string },
      { ...byVisitor, isAnyLost: null, firstAt: null },
    ])
    await database.close()
  })

  test('a server that cannot open its data offers to restore a backup on the first page, and runs with the restored data', async () => {
    const [directory, file] = [join(folder, 'fresh'), join(folder, 'by-command.farhand-backup')]
    await writeFile(join(directory, 'farhand.db'), 'no database')
    const settings = {
      Urls: `http://127.0.0.1:${await freePort()}`,
      // The account that is made while there are none does not close the form.
      Bootstrap__AdminEmail: 'first@example.org',
      Bootstrap__AdminPassword: 'Correct-Horse-7',
    }
    const start = () =>
      startServerProcess(directory, settings, { TMPDIR: folder }, onTestFinished, { ready: 'Restore a backup' })
    const damaged = await start()
    const { url, lines } = damaged
    const get = async (path: string, headers = {}) => {
      const answer = await fetch(url + path, { headers })
      return [answer.status, await answer.text()] as const
    }
    const elsewhere = { 'x-forwarded-for': '192.0.2.7' }
    expect(await get('/health')).toEqual([503, 'Unhealthy'])
    expect((await get('/api/v1/version/server'))[0]).toBe(503)
    expect((await get('/downloads/any'))[0]).toBe(503)
    expect((await get('/welcome'))[1]).toContain('<title>')
    expect(await new Visitor(url).applianceSession.registration({})).toMatchObject({
      isOpen: true,
      isFirst: true,
      problem: expect.stringContaining('damaged') as string,
    })
    const [, forOthers] = await get('/api/appliance/v1/registration', elsewhere)
    expect(forOthers).toContain('The data of this server cannot be opened.')
    expect(forOthers).not.toContain(folder)
    const restore = async (body: object, headers = {}) => {
      const answer = await fetch(`${url}/api/appliance/v1/first-run/restorations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ path: file, recoveryKey, ...body }),
      })
      return { status: answer.status, text: await answer.text() }
    }
    expect(await restore({}, elsewhere)).toMatchObject({ status: 400, text: expect.stringContaining('setupCode') })
    expect((await restore({ recoveryKey: '00000-00000' })).status).toBe(409)
    const register = { email: 'eve@example.org', password: 'long enough for all' }
    expect(await problemOf(new Visitor(url).applianceSession.register({ body: register }))).toMatch(/^503/)
    const setupCode = lines.map((line) => /^Setup code: (\S+)/.exec(line)?.[1]).find(Boolean)
    const restored = await restore({ setupCode }, elsewhere)
    expect(JSON.parse(restored.text)).toMatchObject({ restarts: true, counts: { people: 2 } })
    await until(() => signInTo(url).catch(() => undefined))
    await damaged.stop()
    expect((await readdir(folder)).filter((name) => name.startsWith('farhand-restore-'))).toEqual([])

    const database = await openBare(join(directory, 'farhand.db'), 0)
    await database.exec("INSERT INTO migrations (name, appVersion) VALUES ('9999-later', '9.0.0.0')")
    await database.close()
    const newer = await start()
    expect(newer.lines.join()).toContain('written by a newer Farhand (9.0.0.0)')
    // By command, beside the page.
    const byCommand = await runBackupCommand(directory, ['restore', file], recoveryKey)
    expect([byCommand.status, byCommand.stdout]).toEqual([0, expect.stringContaining('Restored the backup of')])
    await until(() => signInTo(url).catch(() => undefined))
    await newer.stop()
  })
})
