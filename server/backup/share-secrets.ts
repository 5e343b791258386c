import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { z } from 'zod'
import { dayMs } from '../../shared/durations.ts'
import { parseJson } from '../../shared/contract/parse-json.ts'
import { createFolder, lockFolder, pathsIn } from '../engines/database/folder.ts'
import { openSecretStore, readSecrets } from '../engines/secrets/open.ts'
import type { SecretStore } from '../engines/secrets/store.ts'
import type { Log } from '../ground/log.ts'
import { BackupError, explainAt } from './backup-error.ts'
import { unwrapKey, wrapKey } from './cipher.ts'
import { newRecoveryKey, readRecoveryKey } from './recovery-key.ts'

/*
 * The secrets of a server, for another server of the same database. The file is encrypted for a key that is shown once and
 * travels another way, so that neither of the two is enough.
 */

const format = 'farhand-secrets 1'
const keyName = 'key of the secrets'
/** Time to join: an old file that was left somewhere is worthless even to somebody who finds its key. */
const validMs = dayMs

const SecretsFile = z.object({
  format: z.literal(format),
  /** Name of the computer that wrote the file. */
  computer: z.string(),
  sender: z.string(),
  sealed: z.string(),
})
const Content = z.object({ expiresAt: z.number(), secrets: z.record(z.string(), z.base64()) })

/** Writes the secrets of a data folder into a new file; returns the key that opens it. */
export async function shareSecrets(
  directory: string,
  path: string,
  { log, now }: { log: Log; now: number },
): Promise<string> {
  const secrets = await readSecrets(directory, log)
  if (Object.keys(secrets).length === 0) {
    throw new BackupError(`There are no secrets in ${directory} yet. Start the server once, then try again.`)
  }
  const key = newRecoveryKey()
  const content = Buffer.from(JSON.stringify({ expiresAt: now + validMs, secrets } satisfies z.input<typeof Content>))
  const { sender, wrapped } = wrapKey(content, readRecoveryKey(key, keyName).publicKey)
  const file = { format, computer: hostname(), sender, sealed: wrapped } satisfies z.input<typeof SecretsFile>
  try {
    await writeFile(path, `${JSON.stringify(file)}\n`, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    throw isThere(error)
      ? new BackupError(`${path} exists already. Name a new file.`, { cause: error })
      : explainAt(path, error)
  }
  return key
}

const isThere = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** Reads the secrets of a file. Throws a `BackupError` for another key, a changed file and one that has expired. */
async function readShared(path: string, typed: string, now: number) {
  const key = readRecoveryKey(typed, keyName)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw explainAt(path, error)
  })
  const file = SecretsFile.safeParse(parseJson(text))
  if (!file.success) {
    throw new BackupError(`${path} is not a file of "secrets share", or was changed. Write it again.`)
  }
  const { computer, sender, sealed } = file.data
  let opened: Buffer
  try {
    opened = unwrapKey({ sender, wrapped: sealed }, key)
  } catch (error) {
    throw new BackupError(`This key does not open ${path}. Use the one that "secrets share" showed with it.`, {
      cause: error,
    })
  }
  const { expiresAt, secrets } = Content.parse(JSON.parse(opened.toString()))
  if (expiresAt < now) {
    throw new BackupError(`${path} has expired: it was valid for a day. Write it again with "secrets share".`)
  }
  return { computer, secrets }
}

interface Join {
  typed: string
  secretStore?: 'auto' | SecretStore['kind'] | undefined
  log: Log
  now: number
}

/** Gives a new data folder the secrets of another server; returns the name of that server's computer. */
export async function joinSecrets(
  directory: string,
  path: string,
  { typed, secretStore, log, now }: Join,
): Promise<string> {
  const { computer, secrets } = await readShared(path, typed, now)
  await createFolder(directory)
  const { unlock } = await lockFolder(directory, log, 0)
  try {
    // A start without the secrets leaves its note about the PostgreSQL database, which is no data.
    if (existsSync(pathsIn(directory).database) || Object.keys(await readSecrets(directory, log)).length > 0) {
      throw new BackupError(
        `${directory} holds data or secrets already. Name an empty folder in Service_DataDirectory.`,
      )
    }
    const store = await openSecretStore({ directory, preference: secretStore ?? 'auto', log })
    for (const [name, value] of Object.entries(secrets)) {
      await store.set(name, Buffer.from(value, 'base64'))
    }
    return computer
  } finally {
    await unlock()
  }
}
