import type { IncomingMessage } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { successOf, type RouteDefinition, type RouteInput } from '../../../../shared/contract/route.ts'
import type { Download } from '../../../../shared/contract/transfer.ts'
import type { TimeSlice } from '../../../ground/clock.ts'
import { sendDownload } from './download.ts'
import { isEncoded, jsonText, keepsJson } from '../../../ground/json.ts'
import { listOf, pageOf, sendList, sendParts } from './list.ts'
import type { Head, Response } from '../web/response.ts'
import { downloadHeaders } from '../web/security-headers.ts'
import { sendText } from './text.ts'

const isPage = (value: unknown): value is { items: unknown[] } =>
  typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items)

/** In tests, an undeclared member or a value changed by its schema is a failure. */
function strict(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.parse(value)
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(parsed ?? null)), JSON.parse(JSON.stringify(value ?? null)))) {
    throw new Error(`The response does not match its declaration: ${JSON.stringify(value)}`)
  }
  return parsed
}

/** Longer lists are checked item by item. */
const longList = 100

/** Name of the first member whose items are checked individually: a long list, or one of values with cached JSON. */
function listIn(schema: z.core.$ZodType, value: unknown): string | undefined {
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) {
    return undefined
  }
  for (const [name, member] of Object.entries(value)) {
    const isList = Array.isArray(member) && (member.length > longList || keepsJson(member[0]))
    if (isList && schema.shape[name] instanceof z.ZodArray) {
      return name
    }
  }
  return undefined
}

/**
 * Checks a result by its declaration, the items of long lists individually. Yields, because thousands of items take
 * longer than a time slice. Values with cached JSON come from presenters, which name every member.
 */
async function checked(schema: z.core.$ZodType, value: unknown, slice: TimeSlice): Promise<unknown> {
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    const { element } = schema
    const items: unknown[] = []
    for (const item of value as unknown[]) {
      if (slice.isOver) {
        await slice.yield()
      }
      const isLong = !keepsJson(item) && listIn(element, item) !== undefined
      items.push(isLong ? await checked(element, item, slice) : keepsJson(item) ? item : parsed(element, item))
    }
    return items
  }
  const name = listIn(schema, value)
  if (name === undefined) {
    return parsed(schema, value)
  }
  const { [name]: list, ...rest } = value as Record<string, unknown>
  const others = (await checked(schema, { ...rest, [name]: [] }, slice)) as object
  return { ...others, [name]: await checked((schema as z.ZodObject).shape[name]!, list, slice) }
}

const parsed = (schema: z.core.$ZodType, value: unknown): unknown => (schema as z.ZodType).parse(value)

function* strictlyChecked(schema: z.ZodArray, items: Iterable<unknown>) {
  for (const item of items) {
    yield strict(schema.element as z.ZodType, item)
  }
}

interface Answer {
  definition: RouteDefinition
  input: RouteInput<RouteDefinition>
  result: unknown
  isStrict: boolean
  slice: TimeSlice
}

/** Address of the created resource, with the tenant if its requests need a tenant. */
function locationOf(template: string, { definition, input, result }: Answer): string {
  const values = { ...(result as object), ...(input.params as object | undefined) } as Record<string, unknown>
  const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const isTenantInQuery = ['query', 'queryOrClaim', 'body', 'bodyOrClaim'].includes(definition.tenant)
  const tenant = `?tenantId=${input.tenantId}`
  if (!isTenantInQuery) {
    return path
  }
  return path.includes('?') ? path.replace('?', `${tenant}&`) : path + tenant
}

const jsonType = 'application/json; charset=utf-8'

const isDownload = (result: unknown): result is Download =>
  typeof result === 'object' && result !== null && 'body' in result && Symbol.asyncIterator in (result.body as object)

/** Media type of a streamed result; undefined for JSON and text. */
const streamTypeOf = ({ definition: { mediaType, streamType }, result }: Answer): string | undefined =>
  streamType !== undefined && isDownload(result) ? streamType : mediaType

/** The head without the fields that depend on the body. */
function headOf(answer: Answer): Head {
  const { cacheSeconds, access, location } = answer.definition
  const mediaType = streamTypeOf(answer)
  const age = `${access === 'anonymous' ? 'public' : 'private'}, max-age=${cacheSeconds}`
  // Streams are not compressed: compression would delay them, and hide their length.
  const uncached = mediaType === undefined ? 'no-store' : 'no-store, no-transform'
  const headers = ['cache-control', cacheSeconds === undefined ? uncached : age]
  if (location !== undefined) {
    headers.push('location', locationOf(location, answer))
  }
  return { status: successOf(answer.definition), headers }
}

/** Checks the handler's result against the declaration and sends it. */
export async function sendResult(request: IncomingMessage, response: Response, answer: Answer): Promise<void> {
  const { result, isStrict, slice } = answer
  const { response: schema, streams, content, streamType } = answer.definition
  const head = headOf(answer)
  const isMissing = result === undefined && schema instanceof z.ZodOptional
  if (!schema || schema instanceof z.ZodVoid || isMissing) {
    response.writeHead(isMissing ? (answer.definition.status ?? 204) : head.status, head.headers).end()
    return
  }
  if (streams) {
    const items = result as Iterable<unknown>
    head.headers.push('content-type', jsonType)
    if (!isStrict && isEncoded(items)) {
      await sendParts(response, await items.parts(), head)
      return
    }
    // Items come from presenters, which name every member: only tests check the items again.
    await sendList(response, listOf(isStrict ? strictlyChecked(schema as z.ZodArray, items) : items), head)
    return
  }
  if (content === 'stream' || (streamType !== undefined && isDownload(result))) {
    head.headers.push('content-type', streamTypeOf(answer) ?? jsonType, ...downloadHeaders)
    await sendDownload(request, response, result as Download, head)
    return
  }
  // A value with cached JSON comes from a presenter, and is checked like the items of a list.
  const isCached = !isStrict && keepsJson(result)
  const value = isCached ? result : isStrict ? strict(schema, result) : await checked(schema, result, slice)
  if (slice.isOver) {
    await slice.yield()
  }
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
  const length = Buffer.byteLength(text)
  head.headers.push('content-length', String(length))
  response.compress(length)
  response.writeHead(head.status, head.headers)
  response.end(text)
}
