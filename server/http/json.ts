const textOfFrozen = new WeakMap<object, string>()

const isFrozenObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.isFrozen(value)

/** JSON of a frozen object: made once, and kept for as long as the object lives. */
function frozenText(value: object): string {
  const known = textOfFrozen.get(value)
  if (known !== undefined) {
    return known
  }
  const text = JSON.stringify(value)
  textOfFrozen.set(value, text)
  return text
}

const itemText = (item: unknown) => (isFrozenObject(item) ? frozenText(item) : JSON.stringify(item))

/** JSON of a list, in parts of at least `partLength` characters. */
export function* listParts(items: Iterable<unknown>, partLength: number): Generator<string> {
  let part = '['
  let separator = ''
  for (const item of items) {
    part += separator + itemText(item)
    separator = ','
    if (part.length >= partLength) {
      yield part
      part = ''
    }
  }
  yield part + ']'
}

/**
 * A value as JSON. Whoever freezes an object promises that nothing inside it changes either: its text is made only once. A
 * frozen page, which has such objects as its `items`, is put together from theirs.
 */
export function jsonText(value: unknown): string {
  if (!isFrozenObject(value)) {
    return JSON.stringify(value)
  }
  if (!('items' in value) || !Array.isArray(value.items)) {
    return frozenText(value)
  }
  const { items, ...rest } = value
  const members = JSON.stringify(rest).slice(0, -1)
  return `${members}${members === '{' ? '' : ','}"items":[${(items as unknown[]).map(itemText).join()}]}`
}
