import type { z } from 'zod'
import type { Access } from '../access.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Where a request names its tenant; the engine answers 400 for a missing one and 403 for a foreign one. `claim`: the
 * tenant is the caller's own, and a caller without one gets 403.
 */
export type TenantParam = 'query' | 'body' | 'route' | 'claim' | 'none'

/** One HTTP operation, as data. Router, OpenAPI document, typed client, access matrix and tests are derived from it. */
export interface RouteDefinition {
  method: Method
  /** Express style: `/api/v1/tags/:tagId`. */
  path: `/${string}`
  summary: string
  access: Access
  tenant: TenantParam
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** Shape of the success body; `z.void()` where there is none. An optional one that is missing is answered 204. */
  response: z.ZodType
  /** Status of success; 200 when omitted. */
  status?: 200 | 201 | 204
  /** `Location` of a 201: a path whose parameters are filled from the request's path, then from the answer. */
  location?: `/${string}`
  /** For how long the answer may be cached by the client and by us. */
  cacheSeconds?: number
  /** The array is written element by element; the handler returns an iterable of elements. */
  streams?: true
  /** `text`: a string body goes out as `text/plain` unless the client asks for JSON. */
  content?: 'json' | 'text'
  /** At most 20 attempts a minute for each remote address: of all of them, or only of those that were refused. */
  limitedAttempts?: 'all' | 'refused'
}

export type Routes = Record<string, RouteDefinition>

export interface RouteGroup<R extends Routes = Routes> {
  /** The OpenAPI tag. */
  name: string
  routes: R
}

export const defineRoutes = <const R extends Routes>(name: string, routes: R): RouteGroup<R> => ({ name, routes })

type Out<T> = T extends z.ZodType ? z.output<T> : undefined

/** What a handler receives: everything parsed by the definition's schemas. */
export interface RouteInput<D extends RouteDefinition> {
  params: Out<D['params']>
  query: Out<D['query']>
  body: Out<D['body']>
  tenantId: D['tenant'] extends 'none' ? undefined : string
}

/** What a handler returns, and what `response` then checks. */
export type RouteResult<D extends RouteDefinition> = D['streams'] extends true
  ? z.input<D['response']> extends (infer Item)[]
    ? Iterable<Item>
    : never
  : z.input<D['response']>

type In<Key extends string, T> = T extends z.ZodType ? { [K in Key]: z.input<T> } : unknown
type TenantIn<D extends RouteDefinition> = D['tenant'] extends 'query' ? { tenantId: string } : unknown

/** What a client passes: the same, before parsing. */
export type ClientInput<D extends RouteDefinition> = In<'params', D['params']> &
  In<'query', D['query']> &
  In<'body', D['body']> &
  TenantIn<D>

export type ClientResult<D extends RouteDefinition> = z.output<D['response']>
