import { mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { openBare } from '../engines/database/connection.ts'
import type { Database } from '../engines/database/database.ts'
import { readFileIfThere } from '../ground/durable-file.ts'
import { explainAt } from './backup-error.ts'
import type { Entry } from './copy-file.ts'

/** Folder in the data folder for files that exist while a copy is written or checked. */
export const scratchIn = (directory: string) => join(directory, 'backup-scratch')

/** Removes the scratch folders of a process that was killed. */
export async function removeScratch(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith(basename(scratchIn(directory)))) {
      await rm(join(directory, name), { recursive: true, force: true })
    }
  }
}

/** Names of the files of a copy. */
export const entryNames = {
  database: 'farhand.db',
  marker: 'farhand.installed',
  note: 'audit-head.json',
  secrets: 'secrets-of-backup.json',
  settings: 'settings-from-backup.json',
} as const

/** Files of the data folder that are copied as they are, where they exist. */
const plainFiles = [entryNames.marker, entryNames.note]

/** Secrets by name, in base64. */
export type Secrets = Readonly<Record<string, string>>

/** Copies the database; returns its newest migration. */
async function copyDatabase(database: Pick<Database, 'copyTo'>, target: string): Promise<string> {
  await database.copyTo(target)
  const connection = await openBare(target, 0)
  try {
    const [newest] = await connection.all<{ name: string }>(
      'SELECT name FROM migrations ORDER BY position DESC LIMIT 1',
    )
    return newest?.name ?? ''
  } finally {
    await connection.close()
  }
}

export interface Snapshot {
  entries: Entry[]
  /** Newest migration of the database. */
  schema: string
  remove(): Promise<void>
}

/** Consistent state of a data folder at one moment. Call `remove` when it is written. */
export async function takeSnapshot(
  directory: string,
  database: Pick<Database, 'copyTo'>,
  { secrets, settings }: { secrets: Secrets; settings: Readonly<Record<string, string>> },
): Promise<Snapshot> {
  const scratch = scratchIn(directory)
  const remove = () => rm(scratch, { recursive: true, force: true })
  await remove()
  try {
    await mkdir(scratch, { recursive: true, mode: 0o700 })
    // Read before the database: the note may only lag behind the log of the same copy.
    const texts = await Promise.all(plainFiles.map((name) => readFileIfThere(join(directory, name))))
    const path = join(scratch, entryNames.database)
    const schema = await copyDatabase(database, path)
    const entries: Entry[] = [
      { name: entryNames.database, content: { path } },
      ...plainFiles.flatMap((name, index) => {
        const text = texts[index]
        return text === undefined ? [] : [{ name, content: Buffer.from(text) }]
      }),
      { name: entryNames.secrets, content: Buffer.from(JSON.stringify(secrets)) },
      { name: entryNames.settings, content: Buffer.from(`${JSON.stringify(settings, null, 2)}\n`) },
    ]
    return { entries, schema, remove }
  } catch (error) {
    await remove()
    throw explainAt(`The data folder ${directory}`, error)
  }
}
