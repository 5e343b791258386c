import { TimeSlice } from '../../../ground/clock.ts'
import { jsonBytes } from '../../../ground/json.ts'
import { ready, type Head, type Response } from '../web/response.ts'

/** Bytes of a list sent in one write. */
const partBytes = 256 * 1024

/** Maximum number of pooled buffers. */
const maxPooled = 16

/** Bytes of kept parts that wait for the client: the system takes many of them at once. */
const maxWaitingBytes = 1024 * 1024

const comma = 0x2c
const openingBracket = Buffer.from('[')
const closingBracket = Buffer.from(']')

const pool: Buffer[] = []

/** Buffers are pooled, because allocating this size costs more than filling it. */
const takePart = (bytes: number) =>
  bytes > partBytes ? Buffer.allocUnsafeSlow(bytes) : (pool.pop() ?? Buffer.allocUnsafeSlow(partBytes))

function release({ buffer }: Buffer) {
  if (buffer.byteLength === partBytes && pool.length < maxPooled) {
    pool.push(Buffer.from(buffer))
  }
}

/** Items, and the JSON around them. */
export interface List {
  items: Iterable<unknown>
  opening: Buffer
  closing: Buffer
}

/** A plain list. */
export const listOf = (items: Iterable<unknown>): List => ({ items, opening: openingBracket, closing: closingBracket })

/** A page: an object with further members beside its `items`. */
export function pageOf({ items, ...rest }: { items: Iterable<unknown> }): List {
  const members = JSON.stringify(rest).slice(0, -1)
  const opening = Buffer.from(`${members}${members === '{' ? '' : ','}"items":[`)
  return { items, opening, closing: Buffer.from(']}') }
}

/**
 * Encodes a list as UTF-8 JSON: yields parts with as many items as fit, and returns the last part. `take` allocates a
 * part of at least `bytes` bytes.
 */
export function* listParts(
  { items, opening, closing }: List,
  take: (bytes: number) => Buffer,
): Generator<Buffer, Buffer> {
  let part = take(opening.length + closing.length)
  part.set(opening)
  let end = opening.length
  let isFirst = true
  for (const item of items) {
    const text = jsonBytes(item)
    // Includes a leading comma, and the closing of the list.
    const length = 1 + text.length + closing.length
    if (end + length > part.length) {
      yield part.subarray(0, end)
      part = take(length)
      end = 0
    }
    if (!isFirst) {
      part[end++] = comma
    }
    isFirst = false
    part.set(text, end)
    end += text.length
  }
  part.set(closing, end)
  return part.subarray(0, end + closing.length)
}

/**
 * Sends a list with back-pressure from the client; stops if the client disconnects. A short list is sent in one write.
 */
export async function sendList(response: Response, list: List, { status, headers }: Head): Promise<void> {
  const slice = new TimeSlice()
  const parts = listParts(list, takePart)
  let part = parts.next()
  const length = part.done ? ['content-length', String(part.value.length)] : []
  response.compress(part.done ? part.value.length : undefined)
  response.writeHead(status, [...headers, ...length])
  while (!part.done) {
    const { value } = part
    if (!response.write(value, () => release(value))) {
      await ready(response)
    }
    if (slice.isOver) {
      await slice.yield()
    }
    if (response.destroyed) {
      return
    }
    part = parts.next()
  }
  const { value } = part
  response.end(value, () => release(value))
}

/** Sends the kept parts of a list. Clients share the parts, so a slow client needs no memory of its own. */
export async function sendParts(
  response: Response,
  parts: readonly Buffer[],
  { status, headers }: Head,
): Promise<void> {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  response.compress(length)
  response.writeHead(status, [...headers, 'content-length', String(length)])
  for (const part of parts) {
    response.write(part)
    if (response.writableLength > maxWaitingBytes) {
      await ready(response)
    }
    if (response.destroyed) {
      return
    }
  }
  response.end()
}
