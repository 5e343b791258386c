import type { IncomingMessage, ServerResponse } from 'node:http'
import express, { type Request, type Response } from 'express'
import { freeChunk } from '../../chunk-blocks.ts'
import { AppError, invalid } from '../../errors.ts'
import { chunkOverheadBytes, type HeldInput } from '../../input-budget.ts'

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

const [quote, backslash, letterU, comma] = [0x22, 0x5c, 0x75, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

const refused = (type: 'entity.too.deep' | 'entity.too.many') => Object.assign(new Error(), { type })

/** Scans JSON before it is parsed: its nesting, its number of values, and whether a text contains a NUL. */
function check(json: Buffer): boolean {
  let depth = 0
  let values = 0
  let isInString = false
  let hasNul = false
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]!
    if (isInString) {
      if (byte === backslash) {
        index++
        hasNul ||= json[index] === letterU && json.toString('latin1', index, index + 5) === 'u0000'
      }
      isInString = byte !== quote
    } else if (byte === quote) {
      isInString = true
    } else if (byte === comma) {
      values++
    } else if (byte === openBrace || byte === openBracket) {
      values++
      if (++depth > maxDepth) {
        throw refused('entity.too.deep')
      }
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--
    }
    if (values > maxValues) {
      throw refused('entity.too.many')
    }
  }
  return hasNul
}

/** Requests with a NUL in a text; some programs that read the text later would truncate it. */
const withNul = new WeakSet<object>()

/** Paths of the texts that contain a NUL, including member names. */
const nulPaths = (value: unknown, path: readonly string[] = []): string[] => {
  if (typeof value === 'string') {
    return value.includes('\0') ? [path.join('.')] : []
  }
  return Object.entries(value ?? {}).flatMap(([name, item]) =>
    name.includes('\0') ? [path.join('.')] : nulPaths(item, [...path, name]),
  )
}

const parserFor = (limit: number, options: { inflate?: boolean } = {}) =>
  express.json({
    ...options,
    limit,
    strict: true,
    type: ['application/json', 'application/*+json'],
    verify: (request, _response, body) => {
      if (check(body)) {
        withNul.add(request)
      }
    },
  })
const parse = parserFor(maxBodyBytes)
// Inflating would use uncounted memory.
const parseUnproved = parserFor(maxUnprovedBodyBytes, { inflate: false })

export const tooLarge = (maxBytes: number) => new AppError(413, `The body is larger than ${maxBytes} bytes.`)

const unreadable = (message: string) =>
  new AppError(400, `The body ${message}.`, {
    title: 'One or more validation errors occurred.',
    fields: { '': [message] },
  })

interface ParserError {
  type?: string
  status?: number
  /** Limit in bytes, if the body is too large. */
  limit?: number
}

function explain(error: ParserError): unknown {
  switch (error.type) {
    case 'entity.too.large':
      return tooLarge(error.limit ?? maxBodyBytes)
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new AppError(415, 'The body must be UTF-8 JSON.')
    case 'entity.too.deep':
      return unreadable(`is nested deeper than ${maxDepth} levels`)
    case 'entity.too.many':
      return unreadable(`contains more than ${maxValues} values`)
    default:
      return error.status === 400 ? unreadable('is not readable JSON') : error
  }
}

const isJson = (contentType: string) => /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType)

const hasBody = (request: IncomingMessage) =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0

/**
 * Rejects with 413 once a body is above its limit; the parser would read the whole body first. Counts the memory of the
 * parser, and adds the chunks of an unproved sender to `chunks`.
 */
function limitBody(
  request: IncomingMessage,
  maxBytes: number,
  held: HeldInput | undefined,
  chunks: Buffer[],
): Promise<never> {
  let bytes = 0
  return new Promise((_, reject) => {
    request.on('data', function count(chunk: Buffer) {
      bytes += chunk.length
      if (bytes > maxBytes) {
        request.off('data', count)
        reject(tooLarge(maxBytes))
      } else {
        held?.take(chunk.length + chunkOverheadBytes)
        if (held) {
          chunks.push(chunk)
        }
      }
    })
  })
}

/**
 * Parses the JSON body; undefined without a body. `held` counts the body of an unproved sender. Throws 400, 413 or 415.
 */
export async function readJsonBody(
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
  held?: HeldInput,
): Promise<unknown> {
  if (!hasBody(request)) {
    return undefined
  }
  if (!isJson(request.headers['content-type'] ?? '')) {
    throw new AppError(415, 'Send the body as application/json.')
  }
  const maxBytes = held ? maxUnprovedBodyBytes : maxBodyBytes
  if (Number(request.headers['content-length']) > maxBytes) {
    throw tooLarge(maxBytes)
  }
  const parsed = new Promise<void>((resolve, reject) => {
    const read = held ? parseUnproved : parse
    read(request as Request, response as Response, (error?: unknown) =>
      error ? reject(explain(error as ParserError)) : resolve(),
    )
  })
  const chunks: Buffer[] = []
  try {
    await Promise.race([parsed, limitBody(request, maxBytes, held, chunks)])
  } finally {
    // The garbage of a flood of bodies would fill memory (T40).
    chunks.forEach(freeChunk)
  }
  if (withNul.has(request)) {
    throw invalid(
      Object.fromEntries(
        nulPaths(request.body)
          .slice(0, 10)
          .map((path) => [path, ['must not contain a NUL character']]),
      ),
    )
  }
  return request.body
}
