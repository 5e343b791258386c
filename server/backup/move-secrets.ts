import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder, pathsIn } from '../database/folder.ts'
import type { Log } from '../log.ts'
import { openSecretStore, readSecrets } from '../secrets/open.ts'
import type { SecretStore } from '../secrets/store.ts'
import { BackupError } from './backup-error.ts'
import { finishReplacement, planReplacement } from './replacement.ts'

const words = { keychain: 'the keychain', file: 'a key file in the data folder' }

/**
 * Moves the secrets of a stopped server to the keychain or to a key file. The new place is complete before it is used;
 * the old one is emptied last. Returns lines for the person who asked.
 */
export async function moveSecrets(directory: string, place: SecretStore['kind'], log: Log): Promise<string[]> {
  if (!existsSync(pathsIn(directory).database)) {
    throw new BackupError(`There is no data of Farhand in ${directory}. Name its folder in Service_DataDirectory.`)
  }
  const { unlock } = await lockFolder(directory, log, 0)
  try {
    await finishReplacement(directory)
    const former = await openSecretStore({ directory, log })
    if (former.kind === place) {
      return [`The secrets are in ${words[place]} already.`]
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
      const replaced = ['secret-store.json', 'secrets.json']
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
    return [`The secrets are in ${words[place]} now.`]
  } finally {
    await unlock()
  }
}
