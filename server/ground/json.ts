/** Cached JSON of an object: not enumerable, and mutable while the object is frozen. */
const jsonOf = Symbol('JSON')

interface Cached {
  readonly [jsonOf]: { text: string | undefined; bytes: Buffer | undefined }
}

/**
 * Freezes a value that lists all its members, and caches its JSON. The caller guarantees that nothing inside the value
 * ever changes.
 */
export function keepJson<T extends object>(value: T): Readonly<T> {
  if (keepsJson(value)) {
    return value
  }
  Object.defineProperty(value, jsonOf, { value: { text: undefined, bytes: undefined } })
  return Object.freeze(value)
}

export const keepsJson = (value: unknown): value is Cached =>
  typeof value === 'object' && value !== null && jsonOf in value

/** JSON of a value as text, for a response body. */
export const jsonText = (value: unknown): string =>
  keepsJson(value) ? (value[jsonOf].text ??= JSON.stringify(value)) : JSON.stringify(value)

/** Items whose JSON as a list is kept in parts. */
export interface EncodedItems<T> extends Iterable<T> {
  /** The JSON of the list in UTF-8. Later changes of the items make other parts. */
  parts(): Promise<readonly Buffer[]>
}

export const isEncoded = (value: Iterable<unknown>): value is EncodedItems<unknown> => 'parts' in value

/** JSON of a value in UTF-8, for copying into a list. */
export const jsonBytes = (value: unknown): Buffer =>
  keepsJson(value) ? (value[jsonOf].bytes ??= Buffer.from(JSON.stringify(value))) : Buffer.from(JSON.stringify(value))
