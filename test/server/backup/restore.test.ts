import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newRecoveryKey } from '../../../server/backup/recovery-key.ts'
import { restore } from '../../../server/backup/stage-restore.ts'
import { openBare } from '../../../server/engines/database/connection.ts'
import { createLog } from '../../../server/ground/log.ts'
import { migrations } from '../../../server/engines/database/migrations/index.ts'
import { moveDataFolder } from '../../../server/backup/move-folder.ts'
import { moveSecrets } from '../../../server/backup/move-secrets.ts'
import { isOnPostgres } from '../../support/postgres.ts'
import { startTestServer } from '../../support/server.ts'
import { writeBackupOf } from '../../support/written-backup.ts'

const recoveryKey = newRecoveryKey()
let folder: string
/** Data folder of a stopped server with an account. */
let source: string
let copy: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farhand-test-'))
  source = join(folder, 'source')
  copy = join(folder, 'copy.farhand-backup')
  const server = await startTestServer({ listenOn: 'https://127.0.0.1:0' })
  await server.owner()
  await server.whileStopped(async (database) => {
    await cp(server.directory, source, { recursive: true })
    if (isOnPostgres) {
      await rm(join(source, 'farhand.postgres'))
      await database.copyTo(join(source, 'farhand.db'))
    }
  })
  await server.stop()
  await writeBackupOf(source, copy, recoveryKey)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const log = createLog({ default: 'None' })
const restoreInto = (directory: string, changes: Partial<Parameters<typeof restore>[0]> = {}) =>
  restore({
    path: copy,
    recoveryKey,
    directory,
    migrations: migrations.map(({ name }) => name),
    appVersion: '1.0.0.0',
    secretStore: 'file',
    log,
    now: Date.now(),
    ...changes,
  })

const newFolder = () => mkdtemp(join(folder, 'data-'))
const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    ({ message }: Error) => message,
  )

/** Addresses of the accounts in a data folder. */
async function peopleIn(directory: string): Promise<string[]> {
  const database = await openBare(join(directory, 'farhand.db'), 0)
  try {
    return (await database.all<{ email: string }>('SELECT email FROM users')).map(({ email }) => email)
  } finally {
    await database.close()
  }
}

/** Files of a data folder with their content, without those of a running process. */
async function contentOf(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).filter((name) => !/^farhand\.(lock|pid)$/.test(name))
  const files = names.map(async (name) => [name, await readFile(join(directory, name), 'base64').catch(() => 'folder')])
  return Object.fromEntries(await Promise.all(files)) as Record<string, string>
}

describe('a restore', () => {
  test('into an empty folder brings back accounts, secrets and settings', async () => {
    const directory = join(folder, 'empty')
    const { counts, aside, settings } = await restoreInto(directory)
    expect([counts.people, aside, settings]).toEqual([1, undefined, ['appoptions:enablecors']])
    expect(await peopleIn(directory)).toEqual(['ada@example.org'])
    const keysOf = async (place: string) =>
      (JSON.parse(await readFile(join(place, 'secrets.json'), 'utf8')) as { secrets: object }).secrets
    expect(await keysOf(directory)).toEqual(await keysOf(source))
    expect((await readdir(directory)).filter((name) => name.startsWith('restore-'))).toEqual([])
  })

  test('over other data moves that data aside, where it can be used', async () => {
    const directory = await newFolder()
    await cp(source, directory, { recursive: true })
    const database = await openBare(join(directory, 'farhand.db'), 0)
    await database.exec("UPDATE users SET email = 'later@example.org'")
    await database.close()
    const { aside } = await restoreInto(directory)
    expect([await peopleIn(directory), await peopleIn(aside!)]).toEqual([['ada@example.org'], ['later@example.org']])
    expect(await readdir(aside!)).toContain('secrets.json')
  })

  test.each([
    [
      'another recovery key',
      () => ({ recoveryKey: newRecoveryKey() }),
      /opens with the recovery key .+ Find the other one/,
    ],
    [
      'a mistyped key',
      () => ({ recoveryKey: `${recoveryKey.slice(0, -1)}${recoveryKey.endsWith('7') ? 8 : 7}` }),
      /Group 8/,
    ],
    ['a missing file', () => ({ path: join(folder, 'nowhere') }), /There is no file/],
    ['a device of the system', () => ({ path: '/dev/zero' }), /is no file/],
    ['another file', () => ({ path: join(source, 'farhand.db') }), /is not a backup of Farhand/],
    [
      'an older program',
      () => ({ migrations: ['0001-create-tables'] }),
      /written by a newer Farhand \(1\.0\.0\.0\)\. Install/,
    ],
  ])('with %s is refused with a sentence, and nothing changes', async (_name, changes, sentence) => {
    const directory = await newFolder()
    await cp(source, directory, { recursive: true })
    const before = await contentOf(directory)
    expect(await problemOf(restoreInto(directory, changes()))).toMatch(sentence)
    expect(await contentOf(directory)).toEqual(before)
  })

  test('of a copy whose database is damaged, or whose secrets do not open it, is refused', async () => {
    const broken = await newFolder()
    await cp(source, broken, { recursive: true })
    const file = join(broken, 'secrets.json')
    const changed = JSON.parse(await readFile(file, 'utf8')) as { secrets: Record<string, string> }
    changed.secrets['master-key'] = Buffer.alloc(32).toString('base64')
    await writeFile(file, JSON.stringify(changed))
    const path = join(folder, 'other-key.farhand-backup')
    await writeBackupOf(broken, path, recoveryKey)
    const directory = await newFolder()
    expect(await problemOf(restoreInto(directory, { path }))).toMatch(/another master key|damaged/)
    expect(Object.keys(await contentOf(directory))).toEqual([])
  })

  test('beside a running server is refused', async () => {
    const server = await startTestServer()
    onTestFinished(() => server.stop())
    expect(await problemOf(restoreInto(server.directory))).toMatch(
      /in use by another running Farhand.+Stop that process/,
    )
  })
})

/** Mounts a file system of a size; undefined if not permitted. */
const smallDisk = async (size: string) => {
  const path = await newFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', path]))
  return path
}

describe('a full disk', () => {
  test('refuses a restore before anything is written, and a copy without leaving a part of one', async ({ skip }) => {
    const disk = await smallDisk('200k')
    skip(disk === undefined, 'mounting is not permitted here')
    expect(await problemOf(restoreInto(disk!))).toMatch(/has room for .+, and the backup needs .+ make room there/)
    expect(Object.keys(await contentOf(disk!))).toEqual([])
    await writeFile(join(disk!, 'filler'), Buffer.alloc(180_000))
    expect(await problemOf(writeBackupOf(source, join(disk!, 'new'), recoveryKey))).toMatch(
      /its disk is full: make room/,
    )
    expect(Object.keys(await contentOf(disk!))).toEqual(['filler'])
  })

  test('that fills while a restore writes leaves the data as it was', async ({ skip }) => {
    const disk = await smallDisk('8m')
    skip(disk === undefined, 'mounting is not permitted here')
    await cp(source, disk!, { recursive: true })
    const before = await contentOf(disk!)
    const lying = join(folder, 'lying.farhand-backup')
    await writeBackupOf(source, lying, recoveryKey, { contentBytes: 1 })
    expect(await problemOf(restoreInto(disk!, { path: lying }))).toMatch(/damaged/)
    await rm(lying)
    expect(await contentOf(disk!)).toEqual(before)
  })
})

describe('the data folder', () => {
  test('is moved to another disk, and the old folder keeps the data under another name', async ({ skip }) => {
    const disk = await smallDisk('8m')
    skip(disk === undefined, 'mounting is not permitted here')
    const from = await newFolder()
    await cp(source, from, { recursive: true })
    const to = join(disk!, 'data')
    await moveDataFolder(from, to, log)
    expect(await peopleIn(to)).toEqual(['ada@example.org'])
    const names = await readdir(folder)
    const former = names.find((name) => join(folder, name).startsWith(`${from}-moved-`))!
    expect([names.includes(basename(from)), await peopleIn(join(folder, former))]).toEqual([false, ['ada@example.org']])
  })

  test('stays where it is when the target has no room, is not empty, or lies inside', async ({ skip }) => {
    const from = await newFolder()
    await cp(source, from, { recursive: true })
    const before = await contentOf(from)
    expect(await problemOf(moveDataFolder(from, join(from, 'inside'), log))).toMatch(/lie in each other/)
    expect(await problemOf(moveDataFolder(from, folder, log))).toMatch(/lie in each other|is not empty/)
    const disk = await smallDisk('200k')
    skip(disk === undefined, 'mounting is not permitted here')
    expect(await problemOf(moveDataFolder(from, join(disk!, 'data'), log))).toMatch(/its disk is full: make room/)
    expect([await contentOf(from), await readdir(disk!)]).toEqual([before, []])
  })
})

test('moving the secrets to the place where they are, or to a keychain that does not work, changes nothing', async () => {
  const directory = await newFolder()
  await cp(source, directory, { recursive: true })
  const before = await contentOf(directory)
  expect(await moveSecrets(directory, 'file', log)).toBe(false)
  await mkdir(join(directory, 'backups'), { recursive: true })
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await problemOf(moveSecrets(directory, 'keychain', log))).toMatch(/keychain/i)
  expect(await contentOf(directory)).toMatchObject(before)
})
