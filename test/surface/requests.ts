import type { z } from 'zod'
import type { RouteDefinition } from '../../shared/contract/route.ts'
import { Components } from '../../server/engines/http/contract/schemas.ts'
import { namedExamples } from '../../server/surface/document-texts.ts'
import { pathOf, valueOf } from './routes.ts'

const components = new Components(namedExamples)
const exampleOf = (schema: z.ZodType) => components.exampleOf(components.add(schema, 'input'), '')

type Ids = Record<string, string | readonly string[]>

interface Changes {
  tenantId?: string
  /** Values of path parameters and body members, used wherever a route has them. */
  ids?: Ids
  body?: string
  headers?: Record<string, string>
}

function withIds(value: unknown, ids: Ids): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, ids[name] ?? item]))
    : value
}

function bodyOf({ body, bodyType }: RouteDefinition, ids: Ids): RequestInit {
  if (!body) {
    return {}
  }
  const value = withIds(exampleOf(body), ids)
  if (bodyType === undefined || bodyType === 'json') {
    return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }
  }
  if (bodyType === 'bytes') {
    return { body: 'content', headers: { 'content-type': 'application/octet-stream' } }
  }
  const pairs = Object.entries(value as object).map(([name, item]): [string, string] => [name, String(item)])
  if (bodyType === 'form') {
    return { body: new URLSearchParams(pairs) }
  }
  const form = new FormData()
  for (const [name, item] of pairs.filter(([member]) => member !== 'file')) {
    form.set(name, item)
  }
  form.set('file', new Blob(['content']), 'report.txt')
  return { body: form }
}

/** Example input of a route, generated from its schemas; path parameters as in `pathOf`. */
export function examplesOf({ path, query, body }: RouteDefinition) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  return {
    params: Object.fromEntries(names.map((name) => [name, valueOf(name)])),
    query: query && exampleOf(query),
    body: body && exampleOf(body),
  }
}

/** Valid request of a route, with every required member, generated from its schemas. */
export function requestFor(definition: RouteDefinition, { tenantId, ids = {}, body, headers }: Changes = {}) {
  const query = new URLSearchParams()
  for (const [name, field] of Object.entries(definition.query?.shape ?? {})) {
    if (!(field as z.ZodType).safeParse(undefined).success) {
      query.set(name, String(exampleOf(field as z.ZodType)))
    }
  }
  const isInQuery = definition.tenant === 'query' || definition.tenant === 'queryOrClaim'
  if (isInQuery && tenantId !== undefined) {
    query.set('tenantId', tenantId)
  }
  const named: Ids = {
    ...ids,
    ...(tenantId !== undefined && !isInQuery && { tenantId }),
  }
  const path = definition.path.replace(/:(\w+)/g, (parameter, name: string) => String(named[name] ?? parameter))
  const init = body === undefined ? bodyOf(definition, named) : { body, headers: headers ?? {} }
  const search = query.size > 0 ? `?${query}` : ''
  return {
    path: pathOf({ ...definition, path: path as `/${string}` }) + search,
    init: { method: definition.method, ...init },
  }
}
