import { execFileSync } from 'node:child_process'
import { readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isNight } from '../../../support/night.ts'
import { pause, until } from '../../../support/until.ts'
import { createNotes, insertNote, noteIds, open, startProcess, temporaryFolder, type Note } from './support.ts'

const insertSql = "INSERT INTO notes SELECT value ->> 'id', value ->> 'text' FROM jsonb_each(?) RETURNING id AS key"

test('a write that has resolved survives the kill of its process', { timeout: 60_000 }, async () => {
  const directory = await temporaryFolder()
  const acknowledged: string[] = []
  const lives = isNight ? 5 : 2
  for (let life = 1; life <= lives; life++) {
    const writing = startProcess('writing-process.ts', directory, String(life))
    expect(await writing.firstLine).toBe('ready')
    const count = (kind: string) => writing.lines.filter((id) => id.startsWith(kind)).length
    await until(() => count('alone') > 4 && count('grouped') > 20 && count('shared') > 20)
    await pause(Math.random() * 200)
    await writing.kill()
    acknowledged.push(...writing.lines.slice(1))

    const database = await open({ directory })
    const stored = new Set(await noteIds(database))
    await database.close()
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
    const halves = [...stored].filter((id) => id.endsWith('-a') && !stored.has(id.replace(/a$/, 'b')))
    expect(halves).toEqual([])
  }
  expect(acknowledged.filter((id) => id.startsWith('alone')).length).toBeGreaterThan(4 * lives)
  expect(acknowledged.filter((id) => id.startsWith('grouped')).length).toBeGreaterThan(20 * lives)
  expect(acknowledged.filter((id) => id.startsWith('shared')).length).toBeGreaterThan(20 * lives)
})

test('a full database rejects whole writes and accepts them again when there is room', async () => {
  const database = await open()
  const batch = database.batch<Note>({ sql: insertSql, key: ({ id }) => id })
  await insertNote(database, { id: 'before' })
  const setLimit = (pages: number) =>
    database.write((transaction) => database.sequelize.query(`PRAGMA max_page_count = ${pages}`, { transaction }))
  await setLimit(1)

  const large = 'x'.repeat(100_000)
  const both = database.write(async (transaction) => {
    await database.sequelize.query("INSERT INTO notes VALUES ('small half', '')", { transaction })
    await database.sequelize.query('INSERT INTO notes VALUES (?, ?)', {
      replacements: ['large half', large],
      transaction,
    })
  })
  await expect(both).rejects.toThrow('full')
  const grouped = await Promise.allSettled(['a', 'b'].map((id) => batch.run({ id, text: large })))
  expect(grouped).toMatchObject([{ reason: { code: 'SQLITE_FULL' } }, { reason: { code: 'SQLITE_FULL' } }])
  expect(await noteIds(database)).toEqual(['before'])

  await setLimit(1_000_000)
  await Promise.all([
    insertNote(database, { id: 'after', text: large }),
    batch.run({ id: 'grouped after', text: large }),
  ])
  expect(await noteIds(database)).toEqual(['before', 'after', 'grouped after'])
})

/** Mounts a file system of `size` bytes; undefined if not permitted. */
async function mountSmallDisk(size: string): Promise<string | undefined> {
  const folder = await temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  return folder
}

test('a full disk rejects whole writes and accepts them again when there is room', async ({ skip }) => {
  const disk = await mountSmallDisk('2m')
  if (disk === undefined) {
    return skip('mounting a small disk needs root on Linux')
  }
  const directory = join(disk, 'data')
  const database = await open({ directory })
  const batch = database.batch<Note>({ sql: insertSql, key: ({ id }) => id })
  await insertNote(database, { id: 'before' })
  const ballast = join(disk, 'ballast')
  const { bavail, bsize } = await statfs(disk)
  await writeFile(ballast, Buffer.alloc(bavail * bsize - 40_000))

  const large = 'x'.repeat(100_000)
  await expect(insertNote(database, { id: 'too large', text: large })).rejects.toThrow(/full|disk I\/O/)
  await expect(batch.run({ id: 'too large', text: large })).rejects.toThrow(/full|disk I\/O/)
  expect(await noteIds(database)).toEqual(['before'])

  await rm(ballast)
  await insertNote(database, { id: 'after', text: large })
  await batch.run({ id: 'grouped after', text: large })
  await database.close()
  const again = await open({ directory })
  expect(await noteIds(again)).toEqual(['before', 'after', 'grouped after'])
  await again.close()
})

test('without room for the copy, a database is not migrated', async ({ skip }) => {
  const disk = await mountSmallDisk('2m')
  if (disk === undefined) {
    return skip('mounting a small disk needs root on Linux')
  }
  const directory = join(disk, 'data')
  const database = await open({ directory })
  await insertNote(database, { id: 'large', text: 'x'.repeat(500_000) })
  await database.close()
  const { bavail, bsize } = await statfs(disk)
  await writeFile(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - 200_000))
  const migrations = [createNotes, { name: '0002-add', up: ['ALTER TABLE notes ADD COLUMN more TEXT'] }]
  await expect(open({ directory, migrations })).rejects.toThrow('Make room on that disk')
  expect(await readdir(join(directory, 'backups'))).toEqual([])
  await rm(join(disk, 'ballast'))
  const updated = await open({ directory, migrations })
  expect(await updated.all('SELECT id, more FROM notes')).toEqual([{ id: 'large', more: null }])
  await updated.close()
})
