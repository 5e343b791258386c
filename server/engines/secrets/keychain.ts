import { randomBytes } from 'node:crypto'
import type { AsyncEntry } from '@napi-rs/keyring'
import { SecretStoreError, type SecretStore } from './store.ts'

const service = 'Farhand'

/** All errors of the keychain library share one code; only their text distinguishes them. */
const advice: [text: RegExp, sentence: string][] = [
  [
    /dismissed|locked|user interaction is not allowed|authorization was denied/i,
    'The keychain is locked. Unlock it (sign in to the desktop of this user) and start again.',
  ],
  [
    /no result found/i,
    'The keychain service runs but has no default keyring. Create one (for example with "Passwords and Keys") and start again.',
  ],
  [
    /d-?bus|failed to connect|not activatable|ServiceUnknown/i,
    'No keychain service can be reached from this session. Start Farhand in the desktop session of this user, or start a Secret Service such as gnome-keyring.',
  ],
]

function explain(error: unknown): SecretStoreError {
  const text = error instanceof Error ? error.message : String(error)
  const sentence =
    advice.find(([pattern]) => pattern.test(text))?.[1] ?? `The keychain of this system does not work: ${text}`
  return new SecretStoreError(sentence, { cause: error })
}

/**
 * Stores secrets in the keychain of the operating system, separately for each installation. Error messages include the
 * solution.
 */
export function openKeychain(installation: string): SecretStore {
  async function use<T>(name: string, work: (entry: AsyncEntry) => Promise<T>): Promise<T> {
    try {
      const { AsyncEntry } = await import('@napi-rs/keyring')
      // Without `store`, the library falls back to kernel keys, which a reboot deletes.
      return await work(new AsyncEntry(service, `${installation}/${name}`, { linux: { store: 'secret-service' } }))
    } catch (error) {
      throw explain(error)
    }
  }
  return {
    kind: 'keychain',
    get: (name) =>
      use(name, async (entry) => {
        const secret = await entry.getSecret()
        return secret ? Buffer.from(secret) : undefined
      }),
    set: (name, value) => use(name, (entry) => entry.setSecret(value)),
    delete: (name) =>
      use(name, async (entry) => {
        await entry.deleteCredential()
      }),
  }
}

/** Writes, reads and deletes a temporary secret; rejects when the store does not persist it. */
export async function probe(store: SecretStore): Promise<void> {
  const name = `probe-${randomBytes(8).toString('hex')}`
  const value = randomBytes(32)
  await store.set(name, value)
  const found = await store.get(name)
  await store.delete(name)
  if (!found?.equals(value)) {
    throw new SecretStoreError('The keychain does not return the stored secret.')
  }
}
