import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RouteDefinition } from '../../../../shared/contract/route.ts'
import { decoded, readBytes, readJsonBody, type BodySender } from './body.ts'
import { incomingBytes } from './incoming-bytes.ts'
import { parse, parserOf } from './input.ts'
import { incomingForm } from './multipart.ts'
import { z } from 'zod'
import { TimeSlice } from '../../../ground/clock.ts'
import { AppError, badRequest } from '../../../ground/errors.ts'

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
