import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { RouteDefinition, RouteInput } from '../../../shared/contract/route.ts'
import type { Download } from '../../../shared/contract/transfer.ts'
import { Turns } from '../../clock.ts'
import { sendDownload } from './download.ts'
import { jsonText, keepsJson } from '../../json.ts'
import { listOf, pageOf, sendList } from './list.ts'
import type { Head } from '../web/response.ts'
import { sendText } from './text.ts'

const isPage = (value: unknown): value is { items: unknown[] } =>
  typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items)

/** In tests a member that is not declared, or a value that is changed by its schema, is a failure. */
function strict(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.parse(value)
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(parsed ?? null)), JSON.parse(JSON.stringify(value ?? null)))) {
    throw new Error(`The answer differs from its declaration: ${JSON.stringify(value)}`)
  }
  return parsed
}

/** The items of a list, each checked by itself: thousands of them take more than one turn. */
async function checkedItems(element: z.core.$ZodType, items: readonly unknown[]): Promise<unknown[]> {
  const turns = new Turns()
  const all: unknown[] = []
  for (const item of items) {
    if (turns.isOver) {
      await turns.next()
    }
    all.push((element as z.ZodType).parse(item))
  }
  return all
}

/** The same for an answer as it was declared: a list, a page or anything else. */
async function checkedWithYields(schema: z.ZodType, value: unknown): Promise<unknown> {
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return checkedItems(schema.element, value)
  }
  const list: unknown = schema instanceof z.ZodObject ? schema.shape['items'] : undefined
  if (list instanceof z.ZodArray && isPage(value)) {
    const page = schema.parse({ ...value, items: [] }) as object
    return { ...page, items: await checkedItems(list.element, value.items) }
  }
  return schema.parse(value)
}

function* strictlyChecked(schema: z.ZodArray, items: Iterable<unknown>) {
  for (const item of items) {
    yield strict(schema.element as z.ZodType, item)
  }
}

interface Answer {
  definition: RouteDefinition
  input: RouteInput<RouteDefinition>
  /** What the handler returned. */
  result: unknown
  isStrict: boolean
}

/** The address of the created resource, with the tenant where requests for it have to name one. */
function locationOf(template: string, { definition, input, result }: Answer): string {
  const values = { ...(result as object), ...(input.params as object | undefined) } as Record<string, unknown>
  const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const isTenantInQuery = definition.tenant === 'query' || definition.tenant === 'body'
  return isTenantInQuery ? `${path}?tenantId=${input.tenantId}` : path
}

const jsonType = 'application/json; charset=utf-8'

/** All of the head that does not depend on the body. */
function headOf(answer: Answer, status = answer.definition.status ?? 200): Head {
  const { cacheSeconds, access, location, mediaType } = answer.definition
  const age = `${access === 'anonymous' ? 'public' : 'private'}, max-age=${cacheSeconds}`
  // Streams are not compressed: that would delay them, and hide their length.
  const uncached = mediaType === undefined ? 'no-store' : 'no-store, no-transform'
  const headers = ['cache-control', cacheSeconds === undefined ? uncached : age]
  if (location !== undefined) {
    headers.push('location', locationOf(location, answer))
  }
  return { status, headers }
}

/** Checks the handler's result against the declaration and sends it. */
export async function sendResult(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const { result, isStrict } = answer
  const { response: schema, streams, content, mediaType = jsonType } = answer.definition
  if (schema instanceof z.ZodVoid || (result === undefined && schema instanceof z.ZodOptional)) {
    const { status, headers } = headOf(answer, answer.definition.status ?? (schema instanceof z.ZodVoid ? 200 : 204))
    response.writeHead(status, headers).end()
    return
  }
  const head = headOf(answer)
  if (streams) {
    const items = result as Iterable<unknown>
    head.headers.push('content-type', jsonType)
    // They come from presenters, which name every member: only tests check them again.
    await sendList(response, listOf(isStrict ? strictlyChecked(schema as z.ZodArray, items) : items), head)
    return
  }
  if (content === 'stream') {
    head.headers.push('content-type', mediaType)
    await sendDownload(request, response, result as Download, head)
    return
  }
  // What keeps its JSON is a presenter's own, which is checked like the items of a list.
  const isKept = !isStrict && keepsJson(result)
  const value = isKept ? result : isStrict ? strict(schema, result) : await checkedWithYields(schema, result)
  if (content === 'text') {
    sendText(request, response, value, head)
    return
  }
  head.headers.push('content-type', jsonType)
  if (isPage(value)) {
    await sendList(response, pageOf(value), head)
    return
  }
  if (Array.isArray(value)) {
    await sendList(response, listOf(value), head)
    return
  }
  const text = jsonText(value)
  head.headers.push('content-length', String(Buffer.byteLength(text)))
  response.writeHead(head.status, head.headers)
  response.end(text)
}
