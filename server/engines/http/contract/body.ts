import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { cutText } from '../../../../shared/cut-text.ts'
import { TimeSlice } from '../../../ground/clock.ts'
import { AppError, badRequest, invalid } from '../../../ground/errors.ts'
import type { HeldInput } from '../../flow/input-budget.ts'
import { JoinedBytes } from '../../flow/joined-bytes.ts'

/** Largest JSON body, in bytes. */
export const maxBodyBytes = 2 * 1024 * 1024

/**
 * Largest body of a peer without a principal, in bytes; the largest such body, a device registration, has about 3 KiB.
 */
export const maxUnprovedBodyBytes = 64 * 1024

/** Maximum nesting of objects and arrays. */
const maxDepth = 64

/**
 * Maximum number of values, including objects and lists. Texts are cheap per byte, but a million empty lists would
 * block the event loop.
 */
const maxValues = 15_000

/**
 * Largest text in bytes, as written; the largest that a route accepts, a certificate, has 100,000 characters. Patterns of
 * fields take up to 45 ms for each MB (T26).
 */
const maxTextBytes = 256 * 1024

const [quote, backslash, letterU, comma] = [0x22, 0x5c, 0x75, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Bytes of JSON that are scanned at once. */
const scannedBytes = 64 * 1024

/** Escapes of a NUL, at which programs that read the text later would truncate it, and of halves of a character. */
const suspectEscape = /^u(0000|d[89a-f])/i

/**
 * Scans JSON before it is parsed: its nesting, its number of values, and whether a text escapes what `unusablePaths`
 * finds. Yields, because a large body takes several milliseconds.
 */
async function scan(json: Buffer, slice: TimeSlice): Promise<boolean> {
  let depth = 0
  let values = 0
  let isInString = false
  let textStart = 0
  let isSuspect = false
  for (let index = 0; index < json.length;) {
    if (slice.isOver) {
      await slice.yield()
    }
    for (const end = Math.min(index + scannedBytes, json.length); index < end; index++) {
      const byte = json[index]!
      if (isInString) {
        if (byte === backslash) {
          index++
          isSuspect ||= json[index] === letterU && suspectEscape.test(json.toString('latin1', index, index + 5))
        }
        isInString = byte !== quote
        if (index - textStart > maxTextBytes) {
          throw unreadable(`contains a text of more than ${maxTextBytes} bytes`)
        }
      } else if (byte === quote) {
        isInString = true
        textStart = index
      } else if (byte === comma) {
        values++
      } else if (byte === openBrace || byte === openBracket) {
        values++
        if (++depth > maxDepth) {
          throw unreadable(`is nested deeper than ${maxDepth} levels`)
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--
      }
      if (values > maxValues) {
        throw unreadable(`contains more than ${maxValues} values`)
      }
    }
  }
  return isSuspect
}

const isUsable = (text: string) => text.isWellFormed() && !text.includes('\0')

/** Paths in an answer, and the length of one: names of a body may be as long as the body itself. */
const [maxPaths, maxPathLength] = [10, 200]

const pathText = (path: readonly string[]) => cutText(path.join('.'), maxPathLength)

/** Paths of the texts, including member names, with a NUL or half of a character, which no file or database keeps. */
function* unusablePaths(value: unknown, path: readonly string[] = []): Generator<string> {
  if (typeof value === 'string') {
    if (!isUsable(value)) {
      yield pathText(path)
    }
    return
  }
  for (const [name, item] of Object.entries(value ?? {})) {
    if (isUsable(name)) {
      yield* unusablePaths(item, [...path, name])
    } else {
      yield pathText(path)
    }
  }
}

const tooLarge = (maxBytes: number) => new AppError(413, `The body is larger than ${maxBytes} bytes.`)

const unreadable = (message: string) =>
  new AppError(400, `The body ${message}.`, {
    title: 'One or more validation errors occurred.',
    fields: { '': [message] },
  })

const notUtf8 = () => new AppError(415, 'The body must be UTF-8 JSON.')

const isJson = (contentType: string) => /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType)

const utf8 = 'utf-8'

/** Bytes of a body in UTF-8, converted from UTF-16 if its content type names that. Throws 415 for any other encoding. */
function inUtf8(bytes: Buffer, contentType: string): Buffer {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? utf8
  if (charset === utf8) {
    return bytes
  }
  if (!/^utf-16(le|be)?$/.test(charset)) {
    throw notUtf8()
  }
  return Buffer.from(decoded(bytes, new TextDecoder(charset, strict)))
}

const strict = { fatal: true }
/** Removes a byte order mark. */
const decoder = new TextDecoder(utf8, strict)

/** Throws 400 for bytes of another encoding, which would be stored as replacement characters. */
export function decoded(bytes: Buffer, by = decoder): string {
  try {
    return by.decode(bytes)
  } catch {
    throw unreadable(`is not ${by.encoding.toUpperCase()}`)
  }
}

/** Parses an object or a list; an empty body is an empty object. */
function parseJson(json: Buffer): unknown {
  const text = decoded(json)
  if (text === '') {
    return {}
  }
  if (!/^[\t\n\r ]*[{[]/.test(text)) {
    throw unreadable('is not readable JSON')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable('is not readable JSON')
  }
}

const hasBody = (request: IncomingMessage) =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0

/** Sender of a body, and the memory that is counted for it. */
export interface BodySender {
  /** False for a sender without a principal. */
  isProved: boolean
  held: HeldInput
}

const maxBytesOf = ({ isProved }: BodySender) => (isProved ? maxBodyBytes : maxUnprovedBodyBytes)

/** Yields the chunks of a body as they arrive. Throws 400 where it is cut off, and 413 above the limit. */
async function* received(request: IncomingMessage, maxBytes: number) {
  let length = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxBytes) {
        throw tooLarge(maxBytes)
      }
      yield chunk
    }
  } catch (error) {
    throw error instanceof AppError ? error : badRequest('The body was cut off.')
  } finally {
    // The rest is discarded, but a client reads the response only after sending its body.
    request.resume()
  }
}

const unpackers = new Map([
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
  ['gzip', createGunzip],
])

/** Memory that unpacking one body takes besides its chunks, in bytes. */
const unpackerBytes = 256 * 1024

/** Yields the unpacked chunks of a body. Throws 415 for an unknown encoding, and 400 for what cannot be unpacked. */
async function* unpacked(packed: AsyncIterable<Buffer>, encoding: string, { held, isProved }: BodySender) {
  const create = unpackers.get(encoding)
  if (!create || !isProved) {
    throw notUtf8()
  }
  held.take(unpackerBytes)
  try {
    yield* pipeline(packed, create(), () => {}) as AsyncIterable<Buffer>
  } catch (error) {
    throw error instanceof AppError ? error : unreadable('is not readable JSON')
  }
}

/** Reads a body, which may be packed. Throws 413 once the body is above the limit of its sender. */
export async function readBytes(request: IncomingMessage, sender: BodySender): Promise<Buffer> {
  const maxBytes = maxBytesOf(sender)
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  const sent = received(request, maxBytes)
  const chunks = encoding === 'identity' ? sent : unpacked(sent, encoding, sender)
  const joined = new JoinedBytes()
  let held = joined.sizeWith(0)
  sender.held.take(held)
  for await (const chunk of chunks) {
    if (joined.length + chunk.length > maxBytes) {
      throw tooLarge(maxBytes)
    }
    const size = joined.sizeWith(chunk.length)
    sender.held.take(size - held)
    held = size
    joined.add(chunk)
  }
  return joined.bytes
}

/** Parses the JSON body; undefined without a body. Throws 400, 413 or 415. */
export async function readJsonBody(request: IncomingMessage, sender: BodySender): Promise<unknown> {
  if (!hasBody(request)) {
    return undefined
  }
  const contentType = request.headers['content-type'] ?? ''
  if (!isJson(contentType)) {
    throw new AppError(415, 'Send the body as application/json.')
  }
  if (Number(request.headers['content-length']) > maxBytesOf(sender)) {
    throw tooLarge(maxBytesOf(sender))
  }
  const bytes = await readBytes(request, sender)
  const slice = new TimeSlice()
  const json = inUtf8(bytes, contentType)
  const isSuspect = await scan(json, slice)
  const value = parseJson(json)
  const unusable = isSuspect ? [...unusablePaths(value).take(maxPaths)] : []
  if (unusable.length > 0) {
    throw invalid(
      Object.fromEntries(unusable.map((path) => [path, ['must not contain a NUL character or half of a character']])),
    )
  }
  if (slice.isOver) {
    await slice.yield()
  }
  return value
}
