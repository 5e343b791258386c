import { StartError } from '../start-error.ts'

/** Keeps a few small secrets by name. Where they are kept is shown to the user, not hidden. */
export interface SecretStore {
  readonly kind: 'keychain' | 'file'
  get(name: string): Promise<Buffer | undefined>
  set(name: string, value: Buffer): Promise<void>
  delete(name: string): Promise<void>
}

/** A secret store cannot be used. The message is written for people and says what to do. */
export class SecretStoreError extends StartError {
  override readonly name = 'SecretStoreError'
}
