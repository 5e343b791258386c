import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RouteDefinition } from '../../../../shared/contract/route.ts'
import type { HeldInput } from '../../flow/input-budget.ts'
import { readJsonBody } from './body.ts'
import { incomingBytes } from './bytes.ts'
import { readFormBody } from './form.ts'
import { parse, parserOf } from './input.ts'
import { incomingForm } from './multipart.ts'

export interface BodyReader {
  /** Reads the raw body. `held` counts the body of an unproved sender. */
  read(request: IncomingMessage, response: ServerResponse, held?: HeldInput): unknown
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
        read: (request, _response, held) => readFormBody(request, body, held),
        parse: (raw) => parse(parser, raw),
      }
    case 'json':
      return { read: readJsonBody, parse: (raw) => parse(parser, raw) }
  }
}
