import { randomUUID } from 'node:crypto'
import { readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { openBare } from '../engines/database/connection.ts'
import { createFolder, lockFolder } from '../engines/database/folder.ts'
import type { Log } from '../ground/log.ts'
import { readFileIfThere } from '../ground/durable-file.ts'
import { openSecretStore, type SecretStoreOptions } from '../engines/secrets/open.ts'
import { openSealer } from '../engines/secrets/sealer.ts'
import { BackupError } from './backup-error.ts'
import { unwrapKey } from './cipher.ts'
import { readCopy, readCopyHeader, syncFolder } from './copy-file.ts'
import type { Header } from './header.ts'
import { fingerprintOf, readRecoveryKey } from './recovery-key.ts'
import { finishReplacement, planReplacement } from './replacement.ts'
import { rebuildDatabase, type Counts } from './rebuild-database.ts'
import { entryNames } from './snapshot.ts'

export interface RestoreOptions {
  /** The copy. */
  path: string
  /** As typed. */
  recoveryKey: string
  /** Data folder that gets the content. */
  directory: string
  /** Names of the migrations of this program. */
  migrations: readonly string[]
  appVersion: string
  /** Place of the secrets; `auto` prefers the keychain. */
  secretStore?: SecretStoreOptions['preference']
  log: Log
  now: number
  /** Actor of the restore, for the audit log. */
  actor?: unknown
}

export interface Restored {
  createdAt: string
  computer: string
  counts: Counts
  /** Folder of the data that was there before; undefined in an empty folder. */
  aside: string | undefined
  /** Settings of file and environment of the server that wrote the copy. */
  settings: string[]
}

const stagedPrefix = 'restore-'
/** Folder of what a restore replaces; two restores never share one. */
const asideFolder = (now: number) =>
  `before-restore-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}-${randomUUID().slice(0, 4)}`

/** Files of an installation, which a restore moves aside. */
const installedFiles = [
  'farhand.db',
  'farhand.db-wal',
  'farhand.db-shm',
  'farhand.log-note.json',
  'farhand.installed',
  'secret-store.json',
  'secrets.json',
  'audit-head.json',
  'backup-folder.json',
  entryNames.settings,
]

const restoredNote = (directory: string) => join(directory, 'restored.json')
const RestoredNote = z.object({
  createdAt: z.string(),
  computer: z.string(),
  restoredAt: z.number(),
  /** Actor of the restore, and the folder of the data that it replaced; missing in notes of older versions. */
  actor: z.unknown().optional(),
  aside: z.string().optional(),
})

/** The restore that this start follows, which it records. Call `forget` afterwards. */
export async function lastRestore(directory: string) {
  const text = await readFileIfThere(restoredNote(directory))
  const note = text === undefined ? undefined : RestoredNote.parse(JSON.parse(text))
  return (
    note && {
      ...note,
      aside: note.aside && join(directory, note.aside),
      forget: () => rm(restoredNote(directory), { force: true }),
    }
  )
}

function checkVersion({ schema, appVersion }: Header, path: string, { migrations }: RestoreOptions): void {
  if (!migrations.includes(schema)) {
    throw new BackupError(
      `The backup ${path} was written by a newer Farhand (${appVersion}). Install version ${appVersion} or newer and restore with it.`,
    )
  }
}

function keyFor({ recoveryKey: fingerprint, sender, keyForRecovery }: Header, path: string, typed: string): Buffer {
  const recovery = readRecoveryKey(typed)
  const presented = fingerprintOf(recovery.publicKey)
  if (presented !== fingerprint) {
    throw new BackupError(
      `The backup ${path} opens with the recovery key ${fingerprint}, and this is the key ${presented}. Find the other one.`,
    )
  }
  try {
    return unwrapKey({ sender, wrapped: keyForRecovery }, recovery)
  } catch (error) {
    throw new BackupError(`The backup ${path} is damaged: its key was changed. Take another copy.`, { cause: error })
  }
}

const megabytes = (bytes: number) => `${Math.max(1, Math.ceil(bytes / 1024 ** 2))} MB`

async function checkDiskSpace({ contentBytes }: Header, directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory)
  // The database is copied once more.
  const neededBytes = 2 * contentBytes
  if (bavail * bsize < neededBytes) {
    throw new BackupError(
      `The disk of ${directory} has room for ${megabytes(bavail * bsize)}, and the backup needs ${megabytes(neededBytes)}: make room there and try again. Nothing was changed.`,
    )
  }
}

const known: ReadonlySet<string> = new Set(Object.values(entryNames))

/** Other files would replace those of this server, and a journal would be played back when the database is opened. */
function checkNames(names: readonly string[], path: string): void {
  const foreign = names.find((name) => !known.has(name))
  if (foreign !== undefined) {
    throw new BackupError(
      `The backup ${path} holds a file that Farhand does not back up: ${foreign}. Take a copy that Farhand wrote.`,
    )
  }
}

const SecretsFile = z.record(z.string(), z.base64())

/** Puts the secrets into a new store, whose marker lies in the staged folder, and checks that they open the database. */
async function stageSecrets(staged: string, { secretStore: preference = 'auto', log }: RestoreOptions): Promise<void> {
  const file = join(staged, entryNames.secrets)
  const secrets = SecretsFile.parse(JSON.parse(await readFile(file, 'utf8')))
  const store = await openSecretStore({ directory: staged, preference, log })
  for (const [name, value] of Object.entries(secrets)) {
    await store.set(name, Buffer.from(value, 'base64'))
  }
  await rm(file)
  const sealer = await openSealer(store, { mayCreate: false })
  const database = await openBare(join(staged, entryNames.database), 0)
  try {
    const rows = await database.all<{ authorityKey: string }>('SELECT authorityKey FROM tls_identity')
    rows.forEach(({ authorityKey }) => sealer.unseal(authorityKey, 'tls/authority-key'))
  } finally {
    await database.close()
  }
}

/** Removes what restores that were killed left behind. */
async function removeLeftovers(directory: string): Promise<void> {
  for (const name of (await readdir(directory)).filter((each) => each.startsWith(stagedPrefix))) {
    await rm(join(directory, name), { recursive: true, force: true })
  }
}

/**
 * Decrypts and checks a copy in the data folder, then plans its installation: the next start, or `finishReplacement`,
 * carries it out. Until then nothing has changed. Throws a `BackupError` otherwise.
 */
export async function stageRestore(options: RestoreOptions): Promise<Omit<Restored, 'aside'>> {
  const { path, directory, recoveryKey, now, actor } = options
  await removeLeftovers(directory)
  const name = `${stagedPrefix}${randomUUID()}`
  const staged = join(directory, name)
  try {
    const keyOf = (header: Header) => {
      checkVersion(header, path, options)
      return keyFor(header, path, recoveryKey)
    }
    // A disk without room is found before anything is written.
    await checkDiskSpace(await readCopyHeader(path, keyOf), directory)
    const { header, names } = await readCopy(path, staged, keyOf)
    checkNames(names, path)
    const counts = await rebuildDatabase(join(staged, entryNames.database), path, header)
    await stageSecrets(staged, options)
    const { createdAt, computer } = header
    const aside = asideFolder(now)
    const note = { createdAt, computer, restoredAt: now, actor, aside } satisfies z.input<typeof RestoredNote>
    await writeFile(join(staged, 'restored.json'), JSON.stringify(note), { mode: 0o600, flush: true })
    await syncFolder(staged)
    const added = (await readdir(staged)).filter((each) => !/-(wal|shm|journal)$/.test(each))
    const settings = Object.keys(JSON.parse(await readFile(join(staged, entryNames.settings), 'utf8')) as object)
    await planReplacement(directory, {
      staged: name,
      aside,
      replaced: [...installedFiles, 'restored.json'],
      added,
    })
    return { createdAt, computer, counts, settings }
  } catch (error) {
    await rm(staged, { recursive: true, force: true }).catch(() => {})
    throw error
  }
}

/** Restores a copy into a data folder without a running server: into an empty one, or in place of its data. */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { directory, log } = options
  await createFolder(directory)
  const { unlock } = await lockFolder(directory, log, 0)
  try {
    await finishReplacement(directory)
    const restored = await stageRestore(options)
    return { ...restored, aside: await finishReplacement(directory) }
  } finally {
    await unlock()
  }
}
