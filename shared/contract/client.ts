import { parseJson } from './parse-json.ts'
import type { ClientInput, ClientResult, RouteGroup, Routes } from './route.ts'
import { ProblemDetails } from './problem.ts'

// `AbortSignal` is a type of the DOM and of Node; this folder depends on neither.
// oxlint-disable-next-line typescript/no-explicit-any
type Signal = any

/** Sends one request; compatible with the browser's `fetch`. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal?: Signal },
) => Promise<{ ok: boolean; status: number; text(): Promise<string> }>

export interface ClientOptions {
  /** Origin without a trailing slash; empty for the origin of the page. */
  baseUrl: string
  fetch: Fetch
  headers?: Record<string, string>
  /** Tenant of requests that name none, for routes that take it from the query. */
  tenantId?: () => string
}

/** A failed request, with the server's problem details, if any. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly problem: ProblemDetails | undefined

  /** `text` is the body of a deprecated route without a problem. */
  constructor(status: number, problem: ProblemDetails | undefined, text?: string) {
    super(problem?.detail ?? problem?.title ?? text ?? `The server answered with status ${status}.`)
    this.status = status
    this.problem = problem
  }
}

/** Typed calls exclude forms, raw bytes and responses other than JSON. */
type IsJson<D> = D extends { bodyType: 'form' | 'multipart' | 'bytes' } | { mediaType: string } ? false : true

type HasTenant<O extends ClientOptions> = O extends { tenantId: () => string } ? true : false

export type Client<R, HasTenant = false> = {
  [K in keyof R as IsJson<R[K]> extends true ? K : never]: (
    input: ClientInput<R[K], HasTenant>,
    signal?: Signal,
  ) => Promise<ClientResult<R[K]>>
}

interface LooseInput {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  tenantId?: string | undefined
}

/** Builds the address of a route, for requests made without this client. */
export function buildUrl(path: string, { params = {}, query = {}, tenantId }: LooseInput) {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = Object.entries({ ...query, tenantId })
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  return search.length > 0 ? `${filled}?${search.join('&')}` : filled
}

/**
 * Makes a typed function for each route of a group. Responses are checked by the route's schema; failures throw
 * `ApiError`.
 */
export function createClient<R, O extends ClientOptions>(group: { routes: R }, options: O): Client<R, HasTenant<O>> {
  const call = (name: string) => async (input: LooseInput, signal?: Signal) => {
    const { method, path, response, tenant } = (group.routes as Routes)[name]!
    const { tenantId = tenant === 'query' ? options.tenantId?.() : undefined } = input
    const hasBody = input.body !== undefined
    const answer = await options.fetch(options.baseUrl + buildUrl(path, { ...input, tenantId }), {
      method,
      headers: {
        accept: 'application/json',
        ...(hasBody && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(hasBody && { body: JSON.stringify(input.body) }),
      ...(signal && { signal }),
    })
    const text = await answer.text()
    const value = text === '' ? undefined : parseJson(text)
    if (!answer.ok) {
      throw new ApiError(
        answer.status,
        ProblemDetails.safeParse(value).data,
        typeof value === 'string' ? value : undefined,
      )
    }
    return response?.parse(value)
  }
  return Object.fromEntries(Object.keys(group.routes as Routes).map((name) => [name, call(name)])) as unknown as Client<
    R,
    HasTenant<O>
  >
}

export type Clients<G, HasTenant = false> = {
  [K in keyof G]: G[K] extends { routes: infer R } ? Client<R, HasTenant> : never
}

/** Makes a client for each of several groups. */
export const createClients = <G extends object, O extends ClientOptions>(
  groups: G,
  options: O,
): Clients<G, HasTenant<O>> =>
  Object.fromEntries(
    Object.entries(groups as Record<string, RouteGroup>).map(([name, group]) => [name, createClient(group, options)]),
  ) as unknown as Clients<G, HasTenant<O>>
