import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { RouteDefinition, RouteInput } from '../../shared/contract/route.ts'
import type { Download } from '../../shared/contract/transfer.ts'
import { sendDownload } from './download.ts'
import { jsonText, listParts } from './json.ts'
import { sendText } from './text.ts'

/** Characters of a streamed list that go out in one write. */
const partLength = 256 * 1024

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

function* strictlyChecked(schema: z.ZodArray, items: Iterable<unknown>) {
  for (const item of items) {
    yield checked(schema.element as z.ZodType, item, true)
  }
}

/** No faster than the client reads; a client that has left ends it. */
async function writeParts(response: ServerResponse, parts: Iterable<string>) {
  let wake = () => {}
  const onReady = () => wake()
  response.on('drain', onReady).on('close', onReady)
  for (const part of parts) {
    if (response.destroyed) {
      return
    }
    if (!response.write(part)) {
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  response.end()
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

function setHeaders(response: ServerResponse, answer: Answer, status = answer.definition.status ?? 200) {
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
export async function sendResult(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const { result, isStrict } = answer
  const { response: schema, streams, content, mediaType } = answer.definition
  if (schema instanceof z.ZodVoid) {
    setHeaders(response, answer)
    response.end()
    return
  }
  if (result === undefined && schema instanceof z.ZodOptional) {
    setHeaders(response, answer, answer.definition.status ?? 204)
    response.end()
    return
  }
  if (streams) {
    setHeaders(response, answer)
    response.setHeader('content-type', 'application/json; charset=utf-8')
    const items = result as Iterable<unknown>
    // They come from presenters, which name every member: only tests check them again.
    await writeParts(response, listParts(isStrict ? strictlyChecked(schema as z.ZodArray, items) : items, partLength))
    return
  }
  if (content === 'stream') {
    setHeaders(response, answer)
    await sendDownload(request, response, result as Download, mediaType)
    return
  }
  // A frozen answer is a presenter's own, which is checked like the items of a list.
  const value = isStrict || !Object.isFrozen(result) ? checked(schema, result, isStrict) : result
  setHeaders(response, answer)
  if (content === 'text') {
    sendText(request, response, value)
    return
  }
  const text = jsonText(value)
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', Buffer.byteLength(text))
  response.end(text)
}
