import type { z } from 'zod'
import type { RouteAccess } from '../access.ts'
import type { ProblemStatus } from './problem.ts'
import type { Download, IncomingBytes, IncomingForm } from './transfer.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Where a request names its tenant; the engine answers 400 for a missing one and 403 for a foreign one. `claim`: the
 * tenant is the principal's own, and a principal without one gets 403.
 */
export type TenantParam = 'query' | 'body' | 'route' | 'claim' | 'none'

/**
 * Failures of deprecated routes. In all forms a 401 and a 403 of the checks before the handler have no body. Then
 * `empty`: problems, as everywhere; `text`: bare strings; `clientText`: bare strings, but problems for 5xx; `messages`:
 * a 400 is an array of strings.
 */
export type FailureForm = 'empty' | 'text' | 'clientText' | 'messages'

/** One HTTP operation, as data. Router, OpenAPI document, typed client, access matrix and tests are derived from it. */
export interface RouteDefinition {
  method: Method
  /** Express style: `/api/v1/tags/:tagId`. */
  path: `/${string}`
  summary: string
  /** What a reader of the document would wonder about. */
  description?: string
  /** Failures beyond those of every route of its kind, in words for the document. */
  problems?: Partial<Record<ProblemStatus, string>>
  access: RouteAccess
  tenant: TenantParam
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /**
   * How the body is written. A `multipart` one has a member `file`; that and `bytes` are read by the handler while they
   * arrive.
   */
  bodyType?: 'json' | 'form' | 'multipart' | 'bytes'
  /**
   * Shape of the success body; `z.void()` where there is none. An optional one that is missing is answered `status`,
   * else 204.
   */
  response: z.ZodType
  /** Status of success; 200 when omitted. */
  status?: 200 | 201 | 204
  /** `Location` of a 201: a path whose parameters are filled from the request's path, then from the answer. */
  location?: `/${string}`
  /** For how long the answer may be cached by the client and by us. */
  cacheSeconds?: number
  /** The array is written element by element; the handler returns an iterable of elements. */
  streams?: true
  /**
   * `text`: a string body goes out as `text/plain` unless the client asks for JSON. `stream`: the handler returns a
   * `Download` and answers for its shape.
   */
  content?: 'json' | 'text' | 'stream'
  /** Media type of a `stream` that is no JSON. */
  mediaType?: string
  /**
   * At most 20 attempts a minute for each remote address: of all of them, or only of guesses. A right key then always
   * passes, whoever else guesses behind the same address.
   */
  limitedAttempts?: 'all' | 'guesses'
  /**
   * Answered also while the principal's password has to be changed; other routes that need a principal are 403 then.
   */
  whilePasswordChangePending?: true
  /**
   * In the session of a browser 403 `reauthentication-required`, unless its user proved less than 10 minutes ago who they
   * are: `POST /api/appliance/v1/session/proof`.
   */
  recentProof?: true
  /** How failures look where they are not problems: on routes under `/api/` without a version. */
  failures?: FailureForm
  /** Path of the route to use instead: this one is deprecated. */
  successor?: `/${string}`
  /** Answered, but part of no document and no promise. */
  unlisted?: true
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
  body: D['bodyType'] extends 'multipart'
    ? IncomingForm<Omit<Out<D['body']>, 'file'>>
    : D['bodyType'] extends 'bytes'
      ? IncomingBytes
      : Out<D['body']>
  tenantId: D['tenant'] extends 'none' ? undefined : string
}

/** What a handler returns, and what `response` then checks. */
export type RouteResult<D extends RouteDefinition> = D['streams'] extends true
  ? z.input<D['response']> extends (infer Item)[]
    ? Iterable<Item>
    : never
  : D['content'] extends 'stream'
    ? Download
    : z.input<D['response']>

type In<Key extends string, T> = T extends z.ZodType ? { [K in Key]: z.input<T> } : unknown
type TenantIn<D extends RouteDefinition> = D['tenant'] extends 'query' ? { tenantId: string } : unknown

/** What a client passes: the same, before parsing. */
export type ClientInput<D extends RouteDefinition> = In<'params', D['params']> &
  In<'query', D['query']> &
  In<'body', D['body']> &
  TenantIn<D>

export type ClientResult<D extends RouteDefinition> = z.output<D['response']>
