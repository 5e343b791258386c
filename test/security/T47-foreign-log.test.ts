import { copyFile, cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { insertNote, noteIds, open, startProcess, temporaryFolder } from '../server/engines/database/support.ts'
import { isNight } from '../support/night.ts'

const files = ['farhand.db', 'farhand.db-wal'] as const
const contentOf = (directory: string) =>
  Promise.all(files.map((name) => readFile(join(directory, name)).then((bytes) => bytes.toString('base64'))))

/** Data folder of a process that was killed while it wrote. */
async function killed(life: string): Promise<string> {
  const directory = await temporaryFolder()
  const writing = startProcess('writing-process.ts', directory, life)
  expect(await writing.firstLine).toBe('ready')
  await expect.poll(() => writing.lines.length).toBeGreaterThan(3)
  await writing.kill()
  return directory
}

async function stopped(): Promise<string> {
  const directory = await temporaryFolder()
  const database = await open({ directory })
  await insertNote(database, { id: 'kept' })
  await database.close()
  return directory
}

test('a log of another database is refused before it or the database is changed', async () => {
  const other = await killed('other')
  for (const directory of [await stopped(), await killed('own')]) {
    await copyFile(join(other, 'farhand.db-wal'), join(directory, 'farhand.db-wal'))
    const before = await contentOf(directory)
    await expect(open({ directory })).rejects.toThrow(
      /does not belong to the database .+ Nothing was changed\. Put back/,
    )
    expect(await contentOf(directory)).toEqual(before)
    await rm(join(directory, 'farhand.db-wal'))
    expect(await noteIds(await open({ directory }))).not.toContain(expect.stringContaining('other'))
  }
})

test.runIf(isNight)('an older database beside the log of the present one is refused', async () => {
  const directory = await stopped()
  const older = join(await temporaryFolder(), 'older.db')
  await copyFile(join(directory, 'farhand.db'), older)
  const writing = startProcess('writing-process.ts', directory, 'later')
  await expect.poll(() => writing.lines.length).toBeGreaterThan(3)
  await writing.kill()
  await copyFile(older, join(directory, 'farhand.db'))
  await expect(open({ directory })).rejects.toThrow('does not belong to the database')
})

test.runIf(isNight)(
  'the log of a killed process is its own, also after checkpoints, in a copy, and without a note',
  async () => {
    const directory = await killed('own')
    const copy = join(await temporaryFolder(), 'copy')
    await cp(directory, copy, { recursive: true })
    const database = await open({ directory: copy })
    const notes = await noteIds(database)
    expect(notes.length).toBeGreaterThan(2)
    // Each checkpoint of a log without readers begins a new one.
    for (const id of ['1', '2', '3', '4']) {
      await insertNote(database, { id })
      await database.checkpoint()
    }
    await insertNote(database, { id: 'last' })
    const again = join(await temporaryFolder(), 'again')
    await cp(copy, again, { recursive: true })
    expect(await noteIds(await open({ directory: again }))).toEqual([...notes, '1', '2', '3', '4', 'last'])
    await rm(join(directory, 'farhand.log-note.json'))
    expect(await noteIds(await open({ directory }))).toEqual(notes)
  },
)
