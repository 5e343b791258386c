/** Where an object keeps its JSON: not listed among its members, and free to change while they are frozen. */
const jsonOf = Symbol('JSON')

interface Kept {
  readonly [jsonOf]: { text: string | undefined; bytes: Buffer | undefined }
}

/**
 * Freezes an answer that names all of its members, whose JSON is then made only once. The caller promises that nothing
 * inside it ever changes.
 */
export function keepJson<T extends object>(value: T): Readonly<T> {
  if (keepsJson(value)) {
    return value
  }
  Object.defineProperty(value, jsonOf, { value: { text: undefined, bytes: undefined } })
  return Object.freeze(value)
}

export const keepsJson = (value: unknown): value is Kept =>
  typeof value === 'object' && value !== null && jsonOf in value

/** A value as JSON: what goes out by itself, in one piece with its head. */
export const jsonText = (value: unknown): string =>
  keepsJson(value) ? (value[jsonOf].text ??= JSON.stringify(value)) : JSON.stringify(value)

/** The same in UTF-8: what is copied into a list. */
export const jsonBytes = (value: unknown): Buffer =>
  keepsJson(value) ? (value[jsonOf].bytes ??= Buffer.from(JSON.stringify(value))) : Buffer.from(JSON.stringify(value))
