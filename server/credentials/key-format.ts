import { zeroId } from '../../shared/contract/fields.ts'

/** Contents of an API key or a token: the id of a stored secret, and the secret. */
export interface PresentedKey {
  /** Hyphenated, in lower case. */
  id: string
  secret: string
}

const keyPattern = /^([\da-f]{32}):(.+)$/is

const swap16 = (hex: string) => hex.slice(2, 4) + hex.slice(0, 2)
const swap32 = (hex: string) => swap16(hex.slice(4, 8)) + swap16(hex.slice(0, 4))

/**
 * Encodes a hyphenated GUID as 32 upper-case hexadecimal characters, with the bytes of its first three groups reversed.
 */
export function hexOfId(id: string): string {
  const [first, second, third, fourth, last] = id.split('-') as [string, string, string, string, string]
  return (swap32(first) + swap16(second) + swap16(third) + fourth + last).toUpperCase()
}

/** Decodes 32 hexadecimal characters, in any case, to a hyphenated GUID in lower case. */
export function idOfHex(hex: string): string {
  const groups = [
    swap32(hex.slice(0, 8)),
    swap16(hex.slice(8, 12)),
    swap16(hex.slice(12, 16)),
    hex.slice(16, 20),
    hex.slice(20),
  ]
  return groups.join('-').toLowerCase()
}

/** The whole key, as its holder sends it. */
export const formatKey = ({ id, secret }: PresentedKey): string => `${hexOfId(id)}:${secret}`

/** Parses a key; undefined for any other text. A secret may contain further colons. */
export function readKey(text: string): PresentedKey | undefined {
  const [, hex, secret] = keyPattern.exec(text) ?? []
  if (hex === undefined || secret === undefined) {
    return undefined
  }
  const id = idOfHex(hex)
  return id === zeroId ? undefined : { id, secret }
}
