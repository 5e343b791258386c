import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { holdsDatabase, lockFolder } from '../engines/database/folder.ts'
import type { Log } from '../ground/log.ts'
import { openSecretStore, readSecrets } from '../engines/secrets/open.ts'
import { readFileIfThere } from '../ground/durable-file.ts'
import type { SecretStore } from '../engines/secrets/store.ts'
import { BackupError } from './backup-error.ts'
import { finishReplacement, planReplacement } from './replacement.ts'

const noteName = 'secrets-moved.json'
const MoveNote = z.object({ place: z.enum(['keychain', 'file']) })

/** Move of the secrets before this start, which has to be recorded. Call `forget` afterwards. */
export async function lastMoveOfSecrets(directory: string) {
  const file = join(directory, noteName)
  const text = await readFileIfThere(file)
  return text === undefined
    ? undefined
    : { ...MoveNote.parse(JSON.parse(text)), forget: () => rm(file, { force: true }) }
}

/**
 * Moves the secrets of a stopped server to the keychain or to a key file. The new place is complete before it is used;
 * the old one is emptied last. Returns whether they were elsewhere before.
 */
export async function moveSecrets(directory: string, place: SecretStore['kind'], log: Log): Promise<boolean> {
  if (!holdsDatabase(directory)) {
    throw new BackupError(`There is no data of Farhand in ${directory}. Name its folder in Service_DataDirectory.`)
  }
  const { unlock } = await lockFolder(directory, log, 0)
  try {
    await finishReplacement(directory)
    const former = await openSecretStore({ directory, log })
    if (former.kind === place) {
      return false
    }
    const secrets = await readSecrets(directory, log)
    const staged = `secrets-${randomUUID()}`
    const path = join(directory, staged)
    await mkdir(path, { mode: 0o700 })
    try {
      const store = await openSecretStore({ directory: path, preference: place, log })
      for (const [name, value] of Object.entries(secrets)) {
        await store.set(name, Buffer.from(value, 'base64'))
      }
      const note = JSON.stringify({ place } satisfies z.input<typeof MoveNote>)
      await writeFile(join(path, noteName), note, { mode: 0o600, flush: true })
      const replaced = ['secret-store.json', 'secrets.json', noteName]
      const aside = `former-${staged}`
      await planReplacement(directory, { staged, aside, replaced, added: await readdir(path) })
    } catch (error) {
      await rm(path, { recursive: true, force: true })
      throw error
    }
    const aside = await finishReplacement(directory)
    if (aside !== undefined) {
      const emptied = await openSecretStore({ directory: aside, log })
      for (const name of Object.keys(secrets)) {
        await emptied.delete(name)
      }
      await rm(aside, { recursive: true, force: true })
    }
    return true
  } finally {
    await unlock()
  }
}
