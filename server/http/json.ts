/** Where an object keeps its JSON: not listed among its members, and free to change while they are frozen. */
const jsonOf = Symbol('JSON')

interface Kept {
  readonly [jsonOf]: { bytes: Buffer | undefined }
}

/**
 * Freezes an answer that a presenter made, whose JSON is then made only once. The caller promises that nothing inside it
 * ever changes.
 */
export function keepJson<T extends object>(value: T): Readonly<T> {
  Object.defineProperty(value, jsonOf, { value: { bytes: undefined } })
  return Object.freeze(value)
}

export const keepsJson = (value: unknown): value is Kept =>
  typeof value === 'object' && value !== null && jsonOf in value

/** A value as JSON in UTF-8. */
export function jsonBytes(value: unknown): Buffer {
  if (!keepsJson(value)) {
    return Buffer.from(JSON.stringify(value))
  }
  return (value[jsonOf].bytes ??= Buffer.from(JSON.stringify(value)))
}
