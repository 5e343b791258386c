import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Request, Response } from 'express'
import { z } from 'zod'
import type { RouteDefinition, RouteInput } from '../../shared/contract/route.ts'

/** Bytes of a streamed list that go out in one write. */
const chunkLength = 64 * 1024

function checked(schema: z.ZodType, value: unknown, isStrict: boolean): unknown {
  const parsed = schema.parse(value)
  if (
    isStrict &&
    !isDeepStrictEqual(JSON.parse(JSON.stringify(parsed ?? null)), JSON.parse(JSON.stringify(value ?? null)))
  ) {
    throw new Error(`The answer differs from its declaration: ${JSON.stringify(value)}`)
  }
  return parsed
}

/** The list as text, in chunks. Its items come from presenters, which name every member: only tests check them again. */
function* listChunks(schema: z.ZodArray, items: Iterable<unknown>, isStrict: boolean) {
  let chunk = '['
  let separator = ''
  for (const item of items) {
    const value = isStrict ? checked(schema.element as z.ZodType, item, isStrict) : item
    chunk += separator + JSON.stringify(value)
    separator = ','
    if (chunk.length >= chunkLength) {
      yield chunk
      chunk = ''
    }
  }
  yield chunk + ']'
}

interface Answer {
  definition: RouteDefinition
  input: RouteInput<RouteDefinition>
  /** What the handler returned. */
  result: unknown
  isStrict: boolean
}

/** The address of what was made, with the tenant where requests for it have to name one. */
function locationOf(template: string, { definition, input, result }: Answer): string {
  const values = { ...(result as object), ...(input.params as object | undefined) } as Record<string, unknown>
  const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const isTenantInQuery = definition.tenant === 'query' || definition.tenant === 'body'
  return isTenantInQuery ? `${path}?tenantId=${input.tenantId}` : path
}

function setHeaders(response: Response, answer: Answer, status = answer.definition.status ?? 200) {
  const { cacheSeconds, access, location } = answer.definition
  response.statusCode = status
  if (location !== undefined) {
    response.setHeader('location', locationOf(location, answer))
  }
  response.setHeader(
    'cache-control',
    cacheSeconds === undefined
      ? 'no-store'
      : `${access === 'anonymous' ? 'public' : 'private'}, max-age=${cacheSeconds}`,
  )
}

/** Checks the handler's result against the declaration and sends it. */
export async function sendResult(request: Request, response: Response, answer: Answer): Promise<void> {
  const { result, isStrict } = answer
  const { response: schema, streams, content } = answer.definition
  if (schema instanceof z.ZodVoid) {
    setHeaders(response, answer)
    response.end()
    return
  }
  if (result === undefined && schema instanceof z.ZodOptional) {
    setHeaders(response, answer, 204)
    response.end()
    return
  }
  if (streams) {
    setHeaders(response, answer)
    response.setHeader('content-type', 'application/json; charset=utf-8')
    await pipeline(listChunks(schema as z.ZodArray, result as Iterable<unknown>, isStrict), response)
    return
  }
  const value = checked(schema, result, isStrict)
  setHeaders(response, answer)
  if (content === 'text' && request.accepts(['text/plain', 'application/json']) !== 'application/json') {
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    response.end(String(value))
    return
  }
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(value))
}
