import type { IncomingMessage, ServerResponse } from 'node:http'
import express, { type Request, type Response } from 'express'
import { AppError, invalid } from '../../errors.ts'
import { chunkOverheadBytes, type HeldInput } from '../../unproved-input.ts'

/** Largest JSON body, in bytes. */
export const maxBodyBytes = 2 * 1024 * 1024

/** Largest body of a peer without a principal, in bytes: the registration of a device, the largest, has some 3 KiB. */
export const maxUnprovedBodyBytes = 64 * 1024

/** How deep objects and arrays may be nested in one. */
const maxDepth = 64

/**
 * How many values one may hold, objects and lists among them. Bytes of texts cost little; a million empty lists would
 * hold up everybody.
 */
const maxValues = 15_000

const [quote, backslash, letterU, comma] = [0x22, 0x5c, 0x75, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

const refused = (type: 'entity.too.deep' | 'entity.too.many') => Object.assign(new Error(), { type })

/** Read before anything is built from it: how deep it is, how many values it holds, and whether a text holds a NUL. */
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

/** Requests with a text that holds a NUL, which ends it for some programs that read it later. */
const withNul = new WeakSet<object>()

/** The paths of the texts that hold one; a name is a text too. */
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
// Inflating takes memory that is not counted.
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
  /** In bytes, where the body is too large. */
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
      return unreadable(`holds more than ${maxValues} values`)
    default:
      return error.status === 400 ? unreadable('is not readable JSON') : error
  }
}

const isJson = (contentType: string) => /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType)

const hasBody = (request: IncomingMessage) =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0

/** Counts what the parser holds: nothing from where the body is too large, though all of it is read. */
function countChunks(request: IncomingMessage, held: HeldInput): void {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxUnprovedBodyBytes) {
      held.close()
    } else {
      held.take(chunk.length + chunkOverheadBytes)
    }
  })
}

/** The parsed JSON body; undefined when there is none. With `held`, its sender is unproved. Throws 400, 413 or 415. */
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
  if (held) {
    countChunks(request, held)
  }
  await new Promise<void>((resolve, reject) => {
    const read = held ? parseUnproved : parse
    read(request as Request, response as Response, (error?: unknown) =>
      error ? reject(explain(error as ParserError)) : resolve(),
    )
  })
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
