import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Log } from '../../ground/log.ts'
import { readFileIfThere, replaceFile } from '../../ground/durable-file.ts'
import { openKeyFile } from './key-file.ts'
import { openKeychain, probe } from './keychain.ts'
import { protectedStore, type KeyProtection } from './protected-store.ts'
import { LostSecretError, SecretStoreError, type SecretStore } from './store.ts'

/** Secret store of an installation, and the names of its secrets, all of which must exist. */
const Marker = z.object({
  version: z.literal(1),
  kind: z.enum(['keychain', 'file']),
  installation: z.guid(),
  names: z.array(z.string()),
})
type Marker = z.infer<typeof Marker>

export interface SecretStoreOptions {
  /** The data folder. */
  directory: string
  /** Applies to a new installation; `auto` uses the keychain if it works. An existing installation keeps its store. */
  preference?: 'auto' | SecretStore['kind']
  /** Certificate that encrypts the secrets in the store. */
  protection?: KeyProtection | undefined
  log: Log
}

const words = { keychain: 'the keychain of the operating system', file: 'a key file in the data folder' }

/** Opens the store of an installation, and chooses one at the first start. Throws a `SecretStoreError`. */
export async function openSecretStore({
  directory,
  preference = 'auto',
  protection,
  log,
}: SecretStoreOptions): Promise<SecretStore> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const markerPath = join(directory, 'secret-store.json')
  const keyPath = join(directory, 'secrets.json')
  const marker = (await readMarker(markerPath)) ?? (await firstMarker(keyPath, preference, log))

  if (preference !== 'auto' && preference !== marker.kind) {
    throw new SecretStoreError(
      `The secrets of this installation are in ${words[marker.kind]} and cannot be moved to ${words[preference]}. ` +
        `Choose "${marker.kind}" or "auto" for data folder ${directory}.`,
    )
  }
  const place = marker.kind === 'file' ? await openKeyFile(keyPath, log) : openKeychain(marker.installation)
  const store = protectedStore(place, protection)
  const listed = withList(store, marker, (names) =>
    replaceFile(markerPath, `${JSON.stringify({ ...marker, names }, null, 2)}\n`),
  )
  for (const name of marker.names) {
    await listed.get(name)
  }
  log.info({}, `Secrets are stored in ${words[store.kind]}`)
  return listed
}

/** Reads all secrets of an installation, in base64, for a copy that holds them encrypted. */
export async function readSecrets(directory: string, log: Log): Promise<Record<string, string>> {
  const { names } = (await readMarker(join(directory, 'secret-store.json'))) ?? { names: [] }
  const store = await openSecretStore({ directory, log })
  const secrets: [string, string][] = []
  for (const name of names) {
    const value = await store.get(name)
    if (value !== undefined) {
      secrets.push([name, value.toString('base64')])
    }
  }
  return Object.fromEntries(secrets)
}

async function readMarker(path: string): Promise<Marker | undefined> {
  const text = await readFileIfThere(path)
  if (text === undefined) {
    return undefined
  }
  try {
    return Marker.parse(JSON.parse(text))
  } catch (error) {
    throw new LostSecretError(
      `${path} is damaged or was written by a newer version. Put back a copy of it from a backup, or install that version.`,
      { cause: error },
    )
  }
}

async function firstMarker(keyPath: string, preference: SecretStoreOptions['preference'], log: Log): Promise<Marker> {
  const inFile: Marker = { version: 1, kind: 'file', installation: randomUUID(), names: [] }
  if (preference === 'file' || (await readFileIfThere(keyPath)) !== undefined) {
    return inFile
  }
  try {
    await probe(openKeychain(inFile.installation))
    return { ...inFile, kind: 'keychain' }
  } catch (error) {
    if (preference === 'keychain') {
      throw error
    }
    log.debug({ err: error }, 'No keychain can be used here')
    return inFile
  }
}

/** Records the names of stored secrets, so that a lost secret is an error and never looks like a first start. */
function withList(store: SecretStore, marker: Marker, save: (names: string[]) => Promise<void>): SecretStore {
  const names = new Set(marker.names)
  return {
    kind: store.kind,
    async get(name) {
      const value = await store.get(name)
      if (value === undefined && names.has(name)) {
        throw lost(store.kind, name)
      }
      return value
    },
    // A new name is listed after its secret is stored, and removed before its secret is deleted: a crash in between
    // never lists a missing secret.
    async set(name, value) {
      await store.set(name, value)
      names.add(name)
      await save([...names])
    },
    async delete(name) {
      names.delete(name)
      await save([...names])
      await store.delete(name)
    },
  }
}

const lost = (kind: SecretStore['kind'], name: string) =>
  new LostSecretError(
    kind === 'keychain'
      ? `The keychain does not contain the secret "${name}" of this data folder, so what is encrypted with it cannot be read. ` +
          'Start as the user, and on the machine, that the data folder belongs to, or restore the keychain from a backup.'
      : `The key file does not contain the secret "${name}" of this data folder, so what is encrypted with it cannot be read. ` +
          'Put secrets.json back into the data folder from a backup.',
  )
