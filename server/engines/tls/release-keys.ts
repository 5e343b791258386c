import { AsyncLocalStorage } from 'node:async_hooks'
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { mostReleaseKeys, succession, type NamedReleaseKey } from '../../../shared/agent-release.ts'
import { publicDerOf } from './keys.ts'

/** Persistent release keys: the current key (PKCS #8, DER), and the signed public keys up to the current one. */
export interface StoredReleaseKey {
  key: Buffer
  named: NamedReleaseKey[]
}

/** Storage of the keys; `save` replaces all of it atomically. */
export interface ReleaseKeyStore {
  load(): Promise<StoredReleaseKey | undefined>
  save(stored: StoredReleaseKey): Promise<void>
}

interface Held {
  key: KeyObject
  named: readonly NamedReleaseKey[]
}

const newKey = () => generateKeyPairSync('ed25519').privateKey
const textOf = (key: KeyObject) => publicDerOf(key).toString('base64')

/** The key that signs the agents of this server: generated on first use, and replaced only by a key that it signed. */
export class ReleaseKeys {
  readonly #store: ReleaseKeyStore
  #held: Promise<Held> | undefined
  /** Leaves the async context of the request that needs the keys first: its caller may end, and others wait, too. */
  readonly #outsideOfRequests = AsyncLocalStorage.snapshot()

  constructor(store: ReleaseKeyStore) {
    this.#store = store
  }

  /** Public keys, the current key last. */
  async named(): Promise<readonly NamedReleaseKey[]> {
    return (await this.#open()).named
  }

  /** Signature in base64. */
  async sign(bytes: Buffer): Promise<string> {
    return sign(null, bytes, (await this.#open()).key).toString('base64')
  }

  /** Replaces the current key by a new key, which the current key signs. */
  rotate(): Promise<void> {
    const before = this.#open()
    const next = before.then(({ key: last, named }) => {
      const key = newKey()
      const signature = sign(null, Buffer.from(succession(textOf(key))), last).toString('base64')
      return this.#save({ key, named: [...named, { key: textOf(key), signature }].slice(-mostReleaseKeys) })
    })
    const held = next.catch(() => before)
    this.#held = held
    held.catch(() => {
      if (this.#held === held) {
        this.#held = undefined
      }
    })
    return next.then(() => undefined)
  }

  /** Reads the keys again at their next use: another server of the database may have replaced the current one. */
  forget(): void {
    this.#held = undefined
  }

  #open(): Promise<Held> {
    this.#held ??= this.#outsideOfRequests(() => this.#load()).catch((error: unknown) => {
      this.#held = undefined
      throw error
    })
    return this.#held
  }

  async #load(): Promise<Held> {
    const stored = await this.#store.load()
    if (stored) {
      return { key: createPrivateKey({ key: stored.key, format: 'der', type: 'pkcs8' }), named: stored.named }
    }
    const key = newKey()
    return await this.#save({ key, named: [{ key: textOf(key), signature: null }] })
  }

  async #save(held: Held): Promise<Held> {
    await this.#store.save({ key: held.key.export({ type: 'pkcs8', format: 'der' }), named: [...held.named] })
    return held
  }
}
