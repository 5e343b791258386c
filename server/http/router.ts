import { Router, type NextFunction, type Request, type Response } from 'express'
import { z } from 'zod'
import { zeroId } from '../../shared/contract/fields.ts'
import { memberOf, reader, type Reader } from '../../shared/contract/lenient.ts'
import type { RouteDefinition, RouteGroup, RouteInput, RouteResult, Routes } from '../../shared/contract/route.ts'
import { AppError, invalid, missingTenant } from '../errors.ts'
import type { Log } from '../log.ts'
import { readJsonBody } from './body.ts'
import { sendError } from './error-handler.ts'
import { sendResult } from './respond.ts'

type Handler<Context> = (context: Context, input: RouteInput<RouteDefinition>) => unknown

/** A route group with its handlers, ready to mount. */
export interface BoundGroup<Context> {
  group: RouteGroup
  handlers: Record<string, Handler<Context>>
}

/** Joins declarations and handlers: a missing handler or a wrong answer shape does not compile. */
export const routeImplementer =
  <Context>() =>
  <R extends Routes>(
    group: RouteGroup<R>,
    handlers: {
      [K in keyof R]: (context: Context, input: RouteInput<R[K]>) => RouteResult<R[K]> | Promise<RouteResult<R[K]>>
    },
  ): BoundGroup<Context> => ({ group, handlers: handlers as unknown as Record<string, Handler<Context>> })

/** What the engine needs of the product to serve a route. */
export interface RouteHost<Context> {
  /** Who asks: reads the credential. Throws 400 or 401 for a broken one; a missing one is an anonymous context. */
  createContext(request: Request, response: Response): Context | Promise<Context>
  /** The declared permission, as far as it can be decided before the request is parsed: throws 401 or 403. */
  permit(context: Context, definition: RouteDefinition): void
  /** The caller's own tenant: throws 403 when there is none. */
  tenantOf(context: Context): string
  /** Whether the caller may name this tenant, and what is declared on the tenant: throws 403. */
  reachTenant(context: Context, definition: RouteDefinition, tenantId: string): void
  /** The permission on the thing that the request names: throws 404 or 403. */
  permitOn(context: Context, definition: RouteDefinition, input: RouteInput<RouteDefinition>): void | Promise<void>
  /** Attempts of one remote address on a route that limits them. */
  attempts: {
    /** Throws 429 when there were too many. */
    check(request: Request, definition: RouteDefinition): void
    count(request: Request, definition: RouteDefinition): void
  }
  log: Log
  /** In tests an unknown member of an answer is a failure; in production it is dropped. */
  isStrict: boolean
}

interface Parser {
  schema: z.ZodType
  read: Reader
}

const parserOf = (schema: z.ZodType | undefined, numbers: boolean): Parser | undefined =>
  schema && { schema, read: reader(schema, { numbers }) }

function rejected({ issues }: z.ZodError) {
  const fields: Record<string, string[]> = {}
  for (const issue of issues) {
    ;(fields[issue.path.join('.')] ??= []).push(issue.message)
  }
  return invalid(fields)
}

function parse({ schema, read }: Parser, value: unknown): unknown {
  const result = schema.safeParse(read(value))
  if (result.success) {
    return result.data
  }
  throw rejected(result.error)
}

/** An id in a path is part of its shape: where another text stands, it is another address. */
const isOtherAddress = ({ issues }: z.ZodError) =>
  issues.some((issue) => issue.code === 'invalid_format' && issue.format === 'guid')

const guid = z.guid()
const tenantIdIn = (holder: object | undefined): string => {
  const parsed = guid.safeParse(memberOf(holder ?? {}, 'tenantId'))
  if (!parsed.success || parsed.data === zeroId) {
    throw missingTenant()
  }
  return parsed.data.toLowerCase()
}

const queryOf = (request: Request) =>
  Object.fromEntries(new URL(request.url, 'http://localhost').searchParams.entries())

/** The seven stops of one request, in the order of the contract's `rest.md` section 1.2. */
function serve<Context>(definition: RouteDefinition, handler: Handler<Context>, host: RouteHost<Context>) {
  const { params, limitedAttempts } = definition
  const query = parserOf(definition.query, true)
  const body = parserOf(definition.body, true)
  const readTenantId = ({ tenant }: RouteDefinition, context: Context, holders: Record<string, unknown>) => {
    switch (tenant) {
      case 'none':
        return undefined
      case 'claim':
        return host.tenantOf(context)
      default:
        return tenantIdIn(holders[tenant] as object | undefined)
    }
  }
  const apiVersion = /^\/api\/v(\d+)\//.exec(definition.path)?.[1]
  return async (request: Request, response: Response, next: NextFunction) => {
    const parsedParams = params?.safeParse(request.params)
    if (parsedParams?.error && isOtherAddress(parsedParams.error)) {
      next()
      return
    }
    if (apiVersion !== undefined) {
      response.setHeader('api-supported-versions', `${apiVersion}.0`)
    }
    try {
      if (limitedAttempts) {
        host.attempts.check(request, definition)
      }
      if (limitedAttempts === 'all') {
        host.attempts.count(request, definition)
      }
      const context = await host.createContext(request, response)
      host.permit(context, definition)
      if (parsedParams?.error) {
        throw rejected(parsedParams.error)
      }
      const rawBody = body ? await readJsonBody(request, response) : undefined
      const rawQuery = query || definition.tenant === 'query' ? queryOf(request) : undefined
      const parsedQuery = query && parse(query, rawQuery)
      const parsedBody = body && parse(body, rawBody)
      const tenantId = readTenantId(definition, context, { query: rawQuery, body: rawBody, route: request.params })
      if (tenantId !== undefined) {
        host.reachTenant(context, definition, tenantId)
      }
      const input = {
        params: parsedParams?.data,
        query: parsedQuery,
        body: parsedBody,
        tenantId,
      } as RouteInput<RouteDefinition>
      await host.permitOn(context, definition, input)
      const result = await (handler(context, input) as Promise<RouteResult<RouteDefinition>>)
      await sendResult(request, response, { definition, input, result, isStrict: host.isStrict })
    } catch (error) {
      if (limitedAttempts === 'refused' && error instanceof AppError && error.status !== 429) {
        host.attempts.count(request, definition)
      }
      sendError(response, error, host.log)
    }
  }
}

const expressMethod = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

/** Literal segments before parameters: Express takes the first route that matches. */
const literalsFirst = (path: string) => path.replace(/:\w+/g, '\uffff')

/** Mounts every route, and answers other methods on a known path with 405. */
export function mountRoutes<Context>(groups: readonly BoundGroup<Context>[], host: RouteHost<Context>): Router {
  const router = Router({ caseSensitive: false, strict: false })
  const routes = groups
    .flatMap(({ group, handlers }) =>
      Object.entries(group.routes).map(([name, definition]) => ({ definition, handler: handlers[name]! })),
    )
    .sort((a, b) => (literalsFirst(a.definition.path) < literalsFirst(b.definition.path) ? -1 : 1))
  const methods = new Map<string, string[]>()
  for (const { definition, handler } of routes) {
    const shape = definition.path.replace(/:\w+/g, ':')
    const known = methods.get(shape) ?? []
    if (known.includes(definition.method)) {
      throw new Error(`Two routes answer ${definition.method} ${definition.path}.`)
    }
    methods.set(shape, [...known, definition.method])
    router[expressMethod[definition.method]](definition.path, serve(definition, handler, host))
  }
  for (const { definition } of routes) {
    const allowed = methods.get(definition.path.replace(/:\w+/g, ':'))!.join(', ')
    router.all(definition.path, (request, response, next) => {
      const parsedParams = definition.params?.safeParse(request.params)
      if (parsedParams?.error && isOtherAddress(parsedParams.error)) {
        next()
        return
      }
      sendError(response, new AppError(405, `Use ${allowed}.`, { headers: { allow: allowed } }), host.log)
    })
  }
  return router
}
