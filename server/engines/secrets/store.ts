import { StartError } from '../../ground/start-error.ts'

/** Stores a few small secrets by name. The UI shows `kind`. */
export interface SecretStore {
  readonly kind: 'keychain' | 'file'
  get(name: string): Promise<Buffer | undefined>
  set(name: string, value: Buffer): Promise<void>
  delete(name: string): Promise<void>
}

/** The secret store is unusable. The message includes the solution. */
export class SecretStoreError extends StartError {
  override readonly name: string = 'SecretStoreError'
}

/** A secret of the data folder is missing or damaged; a backup brings it back. */
export class LostSecretError extends SecretStoreError {}
