import { execFileSync } from 'node:child_process'
import { chmod, copyFile, mkdir, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase, type Migration } from '../../../../server/engines/database/database.ts'
import { StartError } from '../../../../server/ground/start-error.ts'
import { createTestLog } from '../../../support/log.ts'
import { isNight } from '../../../support/night.ts'
import { until } from '../../../support/until.ts'
import {
  createNotes,
  insertNote,
  noteIds,
  open,
  startLimitedProcess,
  startProcess,
  temporaryFolder,
} from './support.ts'

const addColor: Migration = { name: '0002-add-color', up: ['ALTER TABLE notes ADD COLUMN color TEXT'] }
const addSize: Migration = { name: '0003-add-size', up: ['ALTER TABLE notes ADD COLUMN size INTEGER'] }

const copies = (directory: string) => readdir(join(directory, 'backups')).then((names) => names.sort())

/** Error message of a failed start. */
async function refusal(options: Parameters<typeof open>[0]): Promise<string> {
  const error = await open(options).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(StartError)
  return error instanceof StartError ? error.message : ''
}

/** A closed folder with one note in its database. */
async function installed(): Promise<string> {
  const directory = await temporaryFolder()
  const database = await open({ directory })
  await insertNote(database, { id: 'kept' })
  await database.close()
  return directory
}

test('migrations run once, in order, and existing rows stay', async () => {
  const directory = await installed()
  const updated = await open({ directory, migrations: [createNotes, addColor, addSize], appVersion: '1.1.0' })
  expect(await updated.all('SELECT * FROM notes')).toEqual([{ id: 'kept', text: '', color: null, size: null }])
  await updated.close()
  const again = await open({ directory, migrations: [createNotes, addColor, addSize], appVersion: '1.2.0' })
  expect(await again.all('SELECT name, appVersion FROM migrations')).toEqual([
    { name: '0001-create-notes', appVersion: '1.0.0' },
    { name: '0002-add-color', appVersion: '1.1.0' },
    { name: '0003-add-size', appVersion: '1.1.0' },
  ])
})

test('a table may be rebuilt without losing the rows that reference it, and foreign keys are on afterwards', async () => {
  const directory = await temporaryFolder()
  const createChildren: Migration = {
    name: '0002-create-children',
    up: ['CREATE TABLE children (noteId TEXT NOT NULL REFERENCES notes (id) ON DELETE CASCADE) STRICT'],
  }
  const rebuild: Migration = {
    name: '0003-rebuild',
    up: [
      'CREATE TABLE rebuilt (id TEXT PRIMARY KEY) STRICT',
      'INSERT INTO rebuilt SELECT id FROM notes',
      'DROP TABLE notes',
      'ALTER TABLE rebuilt RENAME TO notes',
    ],
  }
  const before = await open({ directory, migrations: [createNotes, createChildren] })
  await insertNote(before, { id: 'a' })
  await before.write((transaction) => before.sequelize.query("INSERT INTO children VALUES ('a')", { transaction }))
  await before.close()
  const after = await open({ directory, migrations: [createNotes, createChildren, rebuild] })
  expect(await after.all('SELECT * FROM children')).toEqual([{ noteId: 'a' }])
  const orphan = after.write((transaction) =>
    after.sequelize.query("INSERT INTO children VALUES ('nobody')", { transaction }),
  )
  await expect(orphan).rejects.toThrow('FOREIGN KEY constraint failed')
})

test('a failed migration changes nothing, names the copy, and can be repaired', async () => {
  const directory = await installed()
  const broken: Migration = { name: '0003-broken', up: ['DELETE FROM notes', 'INSERT INTO nowhere VALUES (1)'] }
  const sentence = await refusal({ directory, migrations: [createNotes, addColor, broken] })
  expect(sentence).toContain('0003-broken')
  expect(sentence).toContain('no such table: nowhere')
  expect(sentence).toContain(join(directory, 'backups', 'farhand-before-0002-add-color.db'))
  const repaired = await open({ directory, migrations: [createNotes, addColor, addSize] })
  expect(await noteIds(repaired)).toEqual(['kept'])
})

test('a migration that leaves dangling references fails', async () => {
  const directory = await installed()
  const orphaning: Migration = {
    name: '0002-orphaning',
    up: ['CREATE TABLE children (noteId TEXT REFERENCES notes (id)) STRICT', "INSERT INTO children VALUES ('nobody')"],
  }
  expect(await refusal({ directory, migrations: [createNotes, orphaning] })).toContain('children')
})

test('the three newest copies before migrations are kept, and each opens as a database', async () => {
  const directory = await installed()
  const migrations = [createNotes]
  for (const number of [2, 3, 4, 5, 6]) {
    migrations.push({ name: `000${number}-add`, up: [`ALTER TABLE notes ADD COLUMN c${number} TEXT`] })
    await (await open({ directory, migrations })).close()
  }
  const kept = ['farhand-before-0004-add.db', 'farhand-before-0005-add.db', 'farhand-before-0006-add.db']
  expect(await copies(directory)).toEqual(kept)

  const restored = await temporaryFolder()
  await copyFile(join(directory, 'backups', 'farhand-before-0004-add.db'), join(restored, 'farhand.db'))
  const database = await open({ directory: restored, migrations: migrations.slice(0, 3) })
  expect(await database.all('SELECT * FROM notes')).toEqual([{ id: 'kept', text: '', c2: null, c3: null }])
})

test('a new installation makes no copy', async () => {
  const directory = await installed()
  expect(await copies(directory)).toEqual([])
})

test('a database of a newer version is rejected with the version to install and the copy to restore', async () => {
  const directory = await installed()
  const newer = await open({ directory, migrations: [createNotes, addColor], appVersion: '2.3.0' })
  await newer.close()
  const copy = join(directory, 'backups', 'farhand-before-0002-add-color.db')
  expect(await refusal({ directory, migrations: [createNotes] })).toBe(
    'This data folder was written by a newer Farhand (2.3.0): install version 2.3.0 or newer, ' +
      `or restore the copy from before its update, ${copy}.`,
  )
  await rm(copy)
  const other = [createNotes, addSize, addColor]
  expect(await refusal({ directory, migrations: other })).toContain('restore a backup from before its update')
})

test.each([
  ['a page of notes is overwritten', async (file: string) => overwrite(file, (await stat(file)).size - 4_096)],
  ['its head is overwritten', (file: string) => overwrite(file, 0)],
  ['its end is cut off', (file: string) => truncate(file, 5_000)],
])('a damaged database is refused and left alone: %s', async (_, damage) => {
  const directory = await installed()
  const large = await open({ directory })
  for (const id of ['a', 'b', 'c', 'd']) {
    await insertNote(large, { id, text: 'x'.repeat(3_000) })
  }
  await large.close()
  await (await open({ directory, migrations: [createNotes, addColor] })).close()
  const file = join(directory, 'farhand.db')
  await damage(file)
  const damaged = await readFile(file)
  const sentence = await refusal({ directory, migrations: [createNotes, addColor] })
  expect(sentence).toContain(`${file} is damaged`)
  expect(sentence).toContain(join(directory, 'backups', 'farhand-before-0002-add-color.db'))
  expect((await readFile(file)).equals(damaged)).toBe(true)
})

async function overwrite(file: string, at: number) {
  const bytes = await readFile(file)
  bytes.fill(0x5a, at, at + 3_000)
  await writeFile(file, bytes)
}

test('an existing installation without its database does not start empty', async () => {
  const directory = await installed()
  const file = join(directory, 'farhand.db')
  await rm(file)
  const sentence = await refusal({ directory })
  expect(sentence).toContain(`its database ${file} is missing or empty`)
  expect(sentence).toContain(join(directory, 'farhand.installed'))
  await writeFile(file, '')
  expect(await refusal({ directory })).toBe(sentence)
  await rm(join(directory, 'farhand.installed'))
  expect(await noteIds(await open({ directory }))).toEqual([])
})

/** No wait for another process. */
const atOnce = { folderWaitMs: 0 }

test('a folder in use by another process is rejected until that process ends, in any way', async () => {
  const directory = await temporaryFolder()
  const holder = startProcess('writing-process.ts', directory)
  expect(await holder.firstLine).toBe('ready')
  expect(await refusal({ directory, ...atOnce })).toBe(
    `The data folder ${directory} is in use by another running Farhand (process ${holder.pid}). ` +
      'Stop that process first, or start with another data folder.',
  )
  expect(await refusal({ directory, folderWaitMs: 1_000 })).toContain(`process ${holder.pid}`)
  await holder.kill()
  await open({ directory, migrations: [createNotes], ...atOnce })
})

test.runIf(isNight)(
  'a folder that another process is about to unlock is waited for, and the wait is logged',
  async () => {
    const directory = await temporaryFolder()
    const holder = startProcess('writing-process.ts', directory)
    expect(await holder.firstLine).toBe('ready')
    const log = createTestLog()
    const opening = open({ directory, migrations: [createNotes], log })
    await Promise.race([opening, until(() => log.lines.length > 0)])
    await holder.kill()
    expect((await noteIds(await opening)).length).toBeGreaterThan(0)
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      [
        'warn',
        `The data folder ${directory} is in use by another running Farhand (process ${holder.pid}). ` +
          'Waiting up to 15 s for that process to end.',
      ],
    ])
  },
)

test('a second database on the same folder is rejected within one process too, and the first keeps its lock', async () => {
  const directory = await temporaryFolder()
  const first = await open({ directory })
  expect(await refusal({ directory, ...atOnce })).toContain(`process ${process.pid}`)
  const other = startProcess('writing-process.ts', directory, '', '0')
  expect(await other.firstLine).toContain(`process ${process.pid}`)
  await insertNote(first, { id: 'a' })
  await first.close()
  expect(await noteIds(await open({ directory }))).toEqual(['a'])
})

test.skipIf(process.platform === 'win32')(
  'folders and files are closed to other users, also where they were open',
  async () => {
    const directory = join(await temporaryFolder(), 'new', 'data')
    const modes = async () => {
      const paths = ['.', ...(await readdir(directory, { recursive: true }))]
      const entries = paths.map(async (path) => [path, ((await stat(join(directory, path))).mode & 0o777).toString(8)])
      return Object.fromEntries(await Promise.all(entries)) as Record<string, string>
    }
    const closed = {
      '.': '700',
      backups: '700',
      'farhand.db': '600',
      'farhand.db-wal': '600',
      'farhand.db-shm': '600',
      'farhand.installed': '600',
      'farhand.lock': '600',
      'farhand.log-note.json': '600',
      'farhand.pid': '600',
    }
    const database = await open({ directory })
    await insertNote(database, { id: 'a' })
    expect(await modes()).toEqual(closed)
    await database.close()

    const withCopy = await open({ directory, migrations: [createNotes, addColor] })
    const closedWithCopy = { ...closed, 'backups/farhand-before-0002-add-color.db': '600' }
    expect(await modes()).toEqual(closedWithCopy)
    await withCopy.close()
    const open644 = ['farhand.db', 'farhand.lock', 'farhand.installed', 'backups/farhand-before-0002-add-color.db']
    for (const path of open644) {
      await chmod(join(directory, path), 0o644)
    }
    for (const path of ['.', 'backups']) {
      await chmod(join(directory, path), 0o755)
    }
    const repaired = await open({ directory, migrations: [createNotes, addColor] })
    await insertNote(repaired, { id: 'b' })
    expect(await modes()).toEqual(closedWithCopy)
  },
)

test('a shared folder is rejected and left unchanged', async () => {
  const directory = await temporaryFolder()
  await chmod(directory, 0o1777)
  expect(await refusal({ directory })).toContain('choose a folder of its own')
  expect((await stat(directory)).mode & 0o7777).toBe(0o1777)
  expect(await readdir(directory)).toEqual([])
})

test('a path that cannot be a folder is rejected with a message', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'file'), '')
  expect(await refusal({ directory: join(folder, 'file', 'data') })).toContain('cannot be opened')
  await mkdir(join(folder, 'data', 'farhand.db'), { recursive: true })
  expect(await refusal({ directory: join(folder, 'data') })).toContain('cannot be opened')
})

test.skipIf(process.platform === 'win32' || !isNight)(
  'a start that cannot move the write-ahead log into the database uses both as they are',
  async () => {
    const [directory, copy] = [await temporaryFolder(), await temporaryFolder()]
    await insertNote(await open({ directory }), { id: 'kept', text: 'x'.repeat(300_000) })
    // Simulates a power cut. Another process copies the files, since closing a file here would drop SQLite's locks.
    execFileSync('cp', ['-R', `${directory}/.`, copy])
    const limited = startLimitedProcess(128, './writing-process.ts', copy)
    expect(await limited.firstLine).toBe('ready')
    await limited.kill()
    expect(await noteIds(await open({ directory: copy }))).toContain('kept')
  },
)

test('a close that cannot move the write-ahead log into the database closes everything and unlocks the folder', async () => {
  const directory = await installed()
  const database = await openDatabase({
    directory,
    migrations: [createNotes],
    appVersion: '1.0.0',
    log: createTestLog(),
  })
  await insertNote(database, { id: 'lost' })
  await truncate(join(directory, 'farhand.db-wal'))
  await expect(database.close()).rejects.toThrow('SQLITE_IOERR')
  await open({ directory, folderWaitMs: 0 })
})
