import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openBare, type Connection } from './connection.ts'
import { createPrivateFile } from './folder.ts'

const copiesKept = 3

export const copyBefore = (folder: string, migration: string) => join(folder, `farhand-before-${migration}.db`)

/** The copies in `folder`, newest first. */
export async function listCopies(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const paths = names.filter((name) => /^farhand-before-.*\.db$/.test(name)).map((name) => join(folder, name))
  const dated = await Promise.all(paths.map(async (path) => ({ path, time: (await stat(path)).mtimeMs })))
  return dated.toSorted((a, b) => b.time - a.time || b.path.localeCompare(a.path)).map(({ path }) => path)
}

/** Saves a copy of the database before `migration`, and removes all but the newest copies. */
export async function keepCopy(connection: Connection, folder: string, migration: string): Promise<string> {
  const path = copyBefore(folder, migration)
  const partial = `${path}.partial`
  await rm(partial, { force: true })
  try {
    await createPrivateFile(partial)
    await connection.all('VACUUM INTO ?', [partial])
    // VACUUM INTO does not flush.
    const file = await open(partial, 'r+')
    try {
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
  for (const old of (await listCopies(folder)).slice(copiesKept)) {
    await rm(old, { force: true })
  }
  return path
}

/** Maximum wait for a lock held by another program. */
const copyWaitMs = 10_000

/** Copies a database in one read transaction on a connection of its own, while others write. */
export async function copyDatabaseFile(database: string, target: string): Promise<void> {
  const connection = await openBare(database, copyWaitMs)
  try {
    await createPrivateFile(target)
    await connection.all('VACUUM INTO ?', [target])
  } finally {
    await connection.close()
  }
}

/** Lists the existing copies in a sentence. */
export async function describeCopies(folder: string): Promise<string> {
  const copies = await listCopies(folder)
  return copies.length === 0
    ? `There is no copy in ${folder}: restore one from a backup.`
    : `The newest copies are: ${copies.slice(0, copiesKept).join(', ')}.`
}
