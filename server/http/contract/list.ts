import type { ServerResponse } from 'node:http'
import { Turns } from '../../clock.ts'
import { jsonBytes } from '../../json.ts'
import { ready, type Head } from '../web/response.ts'

/** Bytes of a list that go out in one write. */
const partBytes = 256 * 1024

/** How many buffers wait for the next list. */
const maxWaiting = 16

const comma = 0x2c
const openingBracket = Buffer.from('[')
const closingBracket = Buffer.from(']')

const waiting: Buffer[] = []

/** Allocating memory of this size costs more than filling it, so buffers are reused. */
const takePart = (bytes: number) =>
  bytes > partBytes ? Buffer.allocUnsafeSlow(bytes) : (waiting.pop() ?? Buffer.allocUnsafeSlow(partBytes))

/** Takes a part back that has been written. */
function giveBack({ buffer }: Buffer) {
  if (buffer.byteLength === partBytes && waiting.length < maxWaiting) {
    waiting.push(Buffer.from(buffer))
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
 * JSON of a list in UTF-8: yields parts with as many items as fit, and returns the last one. `take` gives the buffer
 * for a part, of at least so many bytes.
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
    // With room for a comma before it, and for what closes the list.
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

/** Sends a list, no faster than the client reads; a client that has left ends it. A short one goes out in one piece. */
export async function sendList(response: ServerResponse, list: List, { status, headers }: Head): Promise<void> {
  const turns = new Turns()
  const parts = listParts(list, takePart)
  let part = parts.next()
  const length = part.done ? ['content-length', String(part.value.length)] : []
  response.writeHead(status, [...headers, ...length])
  while (!part.done) {
    const { value } = part
    if (!response.write(value, () => giveBack(value))) {
      await ready(response)
    }
    if (turns.isOver) {
      await turns.next()
    }
    if (response.destroyed) {
      return
    }
    part = parts.next()
  }
  const { value } = part
  response.end(value, () => giveBack(value))
}
