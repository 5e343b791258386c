import { guidFrom } from '../../shared/guid.ts'

/** Random bytes as base64url. */
export const newSecret = (bytes: number): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

export const newId = (): string => guidFrom(crypto.getRandomValues(new Uint8Array(16)))
