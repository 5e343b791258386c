import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clientError } from '../../../../server/ground/errors.ts'
import { insertNote, noteIds, open, temporaryFolder } from './support.ts'

/** Overwrites all pages of a file but the first three. */
function damage(file: string) {
  inOtherProcess(
    `const size = fs.statSync(file).size, start = 3 * 4096
    const descriptor = fs.openSync(file, 'r+')
    fs.writeSync(descriptor, crypto.randomBytes(size - start), 0, size - start, start)`,
    file,
  )
}

/** Runs a script with `file` and `to`: closing a database in this process would drop SQLite's locks. */
function inOtherProcess(script: string, file: string, to = '') {
  execFileSync(process.execPath, ['-e', `const [file, to] = process.argv.slice(1); ${script}`, file, to])
}

test('after a check has found damage, writes are rejected with a reason, and undamaged tables stay readable', async () => {
  const directory = await temporaryFolder()
  const database = await open({ directory })
  await insertNote(database, { id: 'small' })
  expect(await database.checkIntegrity()).toBeUndefined()
  for (let number = 0; number < 20; number++) {
    await insertNote(database, { id: `large ${number}`, text: 'x'.repeat(20_000) })
  }
  await database.checkpoint()
  damage(join(directory, 'farhand.db'))
  expect(await database.checkIntegrity()).toMatch(/\w/)
  expect(database.damage()).toBeDefined()

  const before = statSync(join(directory, 'farhand.db-wal')).size
  const refused = await insertNote(database, { id: 'after' }).catch((error: unknown) => error)
  expect(clientError(refused)).toMatchObject({ status: 503, message: expect.stringContaining('damaged') })
  expect(statSync(join(directory, 'farhand.db-wal')).size).toBe(before)
  expect(await database.all('SELECT 1 AS one')).toEqual([{ one: 1 }])
  await database.close()

  const failure = await open({ directory }).catch((error: Error) => error)
  expect(failure).toMatchObject({ name: 'StartError', message: expect.stringContaining('is damaged') })
})

test('a start knows whether the folder was left in order, and whether the write-ahead log is missing', async () => {
  const directory = await temporaryFolder()
  const database = await open({ directory })
  expect(database.found).toEqual({ wasUnclean: false, isLogMissing: false })
  await insertNote(database, { id: 'kept' })
  const copy = await temporaryFolder()
  for (const name of ['farhand.db', 'farhand.pid']) {
    inOtherProcess('fs.copyFileSync(file, to)', join(directory, name), join(copy, name))
  }
  await database.close()
  const again = await open({ directory })
  // The file alone, of a server that stopped, looks the same: the recorded runs tell the difference.
  expect(again.found.wasUnclean).toBe(false)
  await again.close()
  const copied = await open({ directory: copy })
  expect(copied.found).toEqual({ wasUnclean: true, isLogMissing: true })
  expect(await noteIds(copied)).toEqual([])
})
