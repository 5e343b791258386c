import type { z } from 'zod'
import type { RouteAccess } from '../access.ts'
import type { ProblemStatus } from './problem.ts'
import type { Download, IncomingBytes, IncomingForm } from './transfer.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Location of the tenant id in a request; the engine answers 400 if it is missing and 403 if it is foreign. `claim`:
 * the tenant of the principal; a principal without a tenant gets 403. `queryOrClaim` and `bodyOrClaim`: in the query
 * or body, or left out by a principal with a tenant, for routes that the interface does not fix.
 */
export type TenantParam = 'query' | 'body' | 'route' | 'claim' | 'queryOrClaim' | 'bodyOrClaim' | 'none'

/**
 * Encoding of failures of deprecated routes. In all encodings, a 401 or 403 before the handler has no body. Otherwise
 * `empty`: problems, as everywhere; `text`: bare strings; `clientText`: bare strings, but problems for 5xx; `messages`:
 * a 400 is an array of strings.
 */
export type FailureEncoding = 'empty' | 'text' | 'clientText' | 'messages'

/** A HTTP operation as data: the source of router, OpenAPI document, typed client, access matrix and tests. */
export interface RouteDefinition {
  method: Method
  /** Express style: `/api/v1/tags/:tagId`. */
  path: `/${string}`
  summary: string
  /** Explains surprising behavior to readers of the document. */
  description?: string
  /** Failures beyond those of every such route, described for the document. */
  problems?: Partial<Record<ProblemStatus, string>>
  access: RouteAccess
  tenant: TenantParam
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** Encoding of the body. A `multipart` body has a member `file`; the handler streams that member, and `bytes`. */
  bodyType?: 'json' | 'form' | 'multipart' | 'bytes'
  /**
   * Schema of the success body; left out: 204 without a body. `z.void()` is 200 without a body, for older clients. An
   * optional body that is missing is answered with `status`, by default 204.
   */
  response?: z.ZodType
  /** Status of success; 200 by default. */
  status?: 200 | 201
  /** `Location` of a 201: a path whose parameters are filled from the request's path, then from the response. */
  location?: `/${string}`
  /** Time for which client and server may cache the response. */
  cacheSeconds?: number
  /** The response array is encoded item by item; the handler returns an iterable of items. */
  streams?: true
  /**
   * `text`: a string body is sent as `text/plain` unless the client asks for JSON. `stream`: the handler returns a
   * `Download`, which is not checked.
   */
  content?: 'json' | 'text' | 'stream'
  /** Media type of a `stream`, if not JSON. */
  mediaType?: string
  /** The handler may return a `Download` of this media type instead, for clients that ask for it. */
  streamType?: 'text/event-stream'
  /**
   * Limits requests to 20 a minute per remote address: all of them, or only failed guesses. With `guesses`, a correct
   * key always passes, even if others guess behind the same address.
   */
  limitedAttempts?: 'all' | 'guesses'
  /** Allowed while the principal's password must be changed; other routes that need a principal answer 403 then. */
  whilePasswordChangePending?: true
  /**
   * Allowed while the principal lacks the second factor that its tenant requires; other routes that need a principal
   * answer 403 `second-factor-required` then.
   */
  whileSecondFactorMissing?: true
  /**
   * Requires a proof of identity within the last 10 minutes in a browser session, otherwise answers 403
   * `reauthentication-required`: `POST /api/appliance/v1/session/proof`.
   */
  recentProof?: true
  /** Served only while this setting is on; otherwise 404, before the body is read. */
  onlyWith?: 'enableInteractiveBearerLogin'
  /** Encoding of failures other than problems, on unversioned routes under `/api/`. */
  failures?: FailureEncoding
  /**
   * Member of the body whose broken rules, as those of a new password, have the encoding of `failures`; a missing member and
   * one of another type are problems.
   */
  ruledMember?: string
  /** Path of the replacement route: this route is deprecated. */
  successor?: `/${string}`
  /** Part of the appliance's routes that programs may rely on; `test/surface/stable-routes.test.ts` keeps its shape. */
  isStable?: true
  /** Served, but undocumented and unsupported. */
  unlisted?: true
}

/** Status of a response that has what the route declares. */
export const successOf = ({ response, status = 200 }: RouteDefinition) => (response ? status : 204)

export type Routes = Record<string, RouteDefinition>

export interface RouteGroup<R extends Routes = Routes> {
  /** OpenAPI tag. */
  name: string
  routes: R
}

export const defineRoutes = <const R extends Routes>(name: string, routes: R): RouteGroup<R> => ({ name, routes })

/** Enough to tell a schema: a comparison with all members of `z.ZodType` takes the compiler milliseconds for each. */
interface Schema {
  _zod: unknown
}

type Out<T> = T extends Schema ? z.output<T> : undefined
type Result<T> = T extends Schema ? z.input<T> : void

/** Input of a handler, parsed by the definition's schemas. */
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

/** Result of a handler, checked by `response`. */
export type RouteResult<D extends RouteDefinition> = D['streams'] extends true
  ? Result<D['response']> extends (infer Item)[]
    ? Iterable<Item>
    : never
  : D['content'] extends 'stream'
    ? Download
    : Result<D['response']> | (D['streamType'] extends string ? Download : never)

type In<Key extends string, T> = T extends Schema ? { [K in Key]: z.input<T> } : unknown
type TenantIn<D, HasTenant> = D extends { tenant: 'query' }
  ? HasTenant extends true
    ? { tenantId?: string }
    : { tenantId: string }
  : D extends { tenant: 'queryOrClaim' }
    ? { tenantId?: string }
    : unknown

/** Type of a member of a definition; undefined where the definition has none. */
type Member<D, Key extends string> = D extends Record<Key, infer T> ? T : undefined

/** Input of a client, before parsing. */
export type ClientInput<D, HasTenant = false> = In<'params', Member<D, 'params'>> &
  In<'query', Member<D, 'query'>> &
  In<'body', Member<D, 'body'>> &
  TenantIn<D, HasTenant>

export type ClientResult<D> = Out<Member<D, 'response'>>
