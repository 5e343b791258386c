import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RouteDefinition } from '../../../../shared/contract/route.ts'
import { decoded, readBytes, readJsonBody, type BodySender } from './body.ts'
import { parse, parserOf } from './input.ts'
import { incomingForm } from './multipart.ts'
import { z } from 'zod'
import { TimeSlice } from '../../../ground/clock.ts'
import { AppError, badRequest } from '../../../ground/errors.ts'
import { PassThrough } from 'node:stream'
import type { IncomingBytes } from '../../../../shared/contract/transfer.ts'
import { allowSlowBody } from '../web/http-server.ts'

const isBytes = (contentType: string) => /^application\/octet-stream\s*(;|$)/i.test(contentType)

const tooLong = (maxBytes: number) => badRequest(`The body has more than ${maxBytes} bytes.`)

/** The raw, unread body of a request. Throws 415 for another content type. */
function incomingBytes(request: IncomingMessage, response: ServerResponse): IncomingBytes {
  const { 'content-type': type = '', 'content-length': announced } = request.headers
  if (!isBytes(type)) {
    throw new AppError(415, 'Send the body as application/octet-stream.')
  }
  const length = announced === undefined ? undefined : Number(announced)
  // Cancelling discards the remaining body, and the response can be sent on the same connection.
  const held = new PassThrough()
  held.on('error', () => {})
  async function* counted(maxBytes: number): AsyncIterable<Uint8Array> {
    let size = 0
    for await (const chunk of held as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) {
        throw tooLong(maxBytes)
      }
      yield chunk
    }
  }
  return {
    length,
    read(maxBytes) {
      if (length !== undefined && length > maxBytes) {
        throw tooLong(maxBytes)
      }
      allowSlowBody(request, response)
      request.on('error', () => held.destroy(badRequest('The body was cut off.'))).pipe(held)
      return counted(maxBytes)
    },
    cancel(reason) {
      request.unpipe(held)
      held.destroy(reason)
      // The rest is discarded, but a client reads the response only after sending its body.
      request.resume()
    },
  }
}

const isForm = (contentType: string) => /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)

async function readText(request: IncomingMessage, sender: BodySender): Promise<string> {
  const text = decoded(await readBytes(request, sender))
  if (text.includes('%00')) {
    throw badRequest('The body must not contain a NUL character.')
  }
  return text
}

/**
 * Reads a form-encoded body by the names of its schema: members that are lists take every field of their name. Throws
 * 413 or 415.
 */
async function readFormBody(request: IncomingMessage, schema: z.ZodType, sender: BodySender): Promise<unknown> {
  if (!isForm(request.headers['content-type'] ?? '')) {
    throw new AppError(415, 'Send the body as application/x-www-form-urlencoded.')
  }
  const text = await readText(request, sender)
  const slice = new TimeSlice()
  const fieldsOfText = new URLSearchParams(text)
  if (slice.isOver) {
    await slice.yield()
  }
  const fields = Map.groupBy(fieldsOfText, ([name]) => name.toLowerCase())
  const members = Object.entries((schema as z.ZodObject).shape).flatMap(([name, member]) => {
    const values = fields.get(name.toLowerCase())?.map(([, value]) => value)
    return values ? [[name, isList(member) ? values : values.at(-1)] as const] : []
  })
  return Object.fromEntries(members)
}

const isList = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodArray || (schema instanceof z.ZodPipe && isList(schema.in))

export interface BodyReader {
  read(request: IncomingMessage, response: ServerResponse, sender: BodySender): unknown
  /** Parses the raw body for the handler. */
  parse(raw: unknown): unknown
}

/** Reader for the body of a route; undefined for routes without a body. */
export function bodyReaderOf({ body, bodyType = 'json' }: RouteDefinition): BodyReader | undefined {
  const parser = parserOf(body)
  if (!body || !parser) {
    return undefined
  }
  switch (bodyType) {
    case 'multipart':
      return { read: (request, response) => incomingForm(request, response, body), parse: (form) => form }
    case 'bytes':
      return { read: incomingBytes, parse: (bytes) => bytes }
    case 'form':
      return {
        read: (request, _response, sender) => readFormBody(request, body, sender),
        parse: (raw) => parse(parser, raw),
      }
    case 'json':
      return { read: (request, _response, sender) => readJsonBody(request, sender), parse: (raw) => parse(parser, raw) }
  }
}
