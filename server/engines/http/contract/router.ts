import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import type { Permitted, Resources } from '../../../../shared/access.ts'
import { sentenceOf } from '../../../../shared/contract/sentences.ts'
import type { RouteDefinition, RouteGroup, RouteInput, RouteResult, Routes } from '../../../../shared/contract/route.ts'
import { TimeSlice } from '../../../ground/clock.ts'
import { AppError } from '../../../ground/errors.ts'
import type { Log } from '../../../ground/log.ts'
import { sendError } from '../web/error-handler.ts'
import { sendFailure, type Stage } from './failures.ts'
import { decodedSegment, isOtherAddress, parse, namesTenant, parserOf, queryOf, rejected, tenantIdIn } from './input.ts'
import type { BodySender } from './body.ts'
import { parameterNames, PathTable } from './path-table.ts'
import { pathOf } from '../web/request.ts'
import { bodyReaderOf } from './request-body.ts'
import { sendResult } from './send-result.ts'
import type { Response } from '../web/response.ts'
import type { UnreadAnswers } from '../web/unread-answers.ts'

export type Handler<Call> = (call: Call, input: RouteInput<RouteDefinition>) => unknown

/** A route group with its handlers, ready to mount. */
export interface BoundGroup<Call, R extends Routes = Routes> {
  group: RouteGroup<R>
  handlers: Record<keyof R & string, Handler<Call>>
}

/** Input of a handler: the parsed request, and the things named by the access of its route. */
type HandlerInput<D extends RouteDefinition, T extends Resources> = RouteInput<D> & Permitted<D['access'], T>

/**
 * Joins declarations and handlers: a missing handler or a wrong response shape does not compile. Only handlers of
 * anonymous routes get an `OpenCall`, which may have no principal.
 */
export const routeImplementer =
  <OpenCall, Call extends OpenCall, T extends Resources>() =>
  <R extends Routes>(
    group: RouteGroup<R>,
    handlers: {
      [K in keyof R]: (
        call: R[K]['access'] extends 'anonymous' ? OpenCall : Call,
        input: HandlerInput<R[K], T>,
      ) => RouteResult<R[K]> | Promise<RouteResult<R[K]>>
    },
  ): BoundGroup<OpenCall, R> => ({ group, handlers: handlers as unknown as BoundGroup<OpenCall, R>['handlers'] })

/** Product functions that the engine needs to serve a route. */
export interface RouteHost<Call> {
  /**
   * Authenticates the caller. Throws 400 or 401 for a broken credential if the route needs a caller; on anonymous
   * routes a broken credential counts as none.
   */
  createCall(request: IncomingMessage, response: Response, definition: RouteDefinition): Call | Promise<Call>
  /** Checks the declared access before the request is parsed: throws 401 or 403. */
  admit(call: Call, definition: RouteDefinition): void
  /** False for a principal that belongs to no tenant. */
  hasTenant(call: Call): boolean
  /** The principal's tenant: throws 403 for a principal without a tenant. */
  tenantOf(call: Call): string
  /**
   * Checks the declared access completely: returns the things that it names for the handler, or throws 401, 403, 404 or
   * 400.
   */
  authorize(call: Call, definition: RouteDefinition, input: RouteInput<RouteDefinition>): Promise<object>
  /** Returns a function that has another server answer the request, with its body; undefined if this server answers. */
  elsewhere?(
    request: IncomingMessage,
    definition: RouteDefinition,
    things: object,
  ): ((response: Response, body: unknown) => Promise<void>) | undefined
  /** Runs the handler. Each of its writes checks the access again once it has the writer: throws 401, 403 or 404. */
  handle<Result>(
    call: Call,
    definition: RouteDefinition,
    input: RouteInput<RouteDefinition>,
    handler: () => Promise<Result>,
  ): Promise<Result>
  /** Runs the work of a request, once few enough requests of its account run. */
  queued<Result>(call: Call, definition: RouteDefinition, work: () => Promise<Result>): Promise<Result>
  /** Rate limits of routes, by remote address. */
  attempts: {
    /** Counts an attempt; throws 429 above the limit. */
    take(request: IncomingMessage, definition: RouteDefinition): void
  }
  /** Counts the answers of routes and files. */
  unread: UnreadAnswers
  /** Counts the memory for the body of a request, until its work begins. */
  senderOf(call: Call, request: IncomingMessage): BodySender
  /** Notes the work of a handler, which may outlive its connection. */
  answering(answer: Promise<void>): void
  log: Log
  /** In tests an unknown member of a response is a failure; in production it is dropped. */
  isStrict: boolean
}

/** RFC 9745: when V1 replaced the unversioned routes, 2026-01-01. */
const deprecatedSince = `@${Date.UTC(2026, 0, 1) / 1000}`

/** Headers of a deprecated route with the successor's address, filled with the parameters of this request. */
function successorHeaders({ successor }: RouteDefinition) {
  if (successor === undefined) {
    return undefined
  }
  return (response: Response, values: readonly string[]) => {
    let next = 0
    const path = successor.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[next++] ?? `{${name}}`))
    response.addStanding('deprecation', deprecatedSince, 'link', `<${path}>; rel="successor-version"`)
  }
}

interface PathParams {
  /** Parameter values in the order of the pattern. */
  values: readonly string[]
  raw: Record<string, string>
  parsed: z.ZodSafeParseResult<unknown> | undefined
}

/** A route, ready to answer requests that match its path. */
interface Served {
  readonly route: string
  /** Reads the path parameters; undefined if a malformed parameter means that the path belongs to another route. */
  read(values: readonly string[]): PathParams | undefined
  answer(request: IncomingMessage, response: Response, path: PathParams): Promise<void>
}

/** Returns the error that `work` throws. */
function refusalOf(work: () => void): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

/** Finds the tenant of a request, where the declaration says. */
const tenantReader =
  <Call>({ tenant }: RouteDefinition, host: RouteHost<Call>) =>
  (call: Call, holders: Record<string, unknown>) => {
    switch (tenant) {
      case 'none':
        return undefined
      case 'claim':
        return host.tenantOf(call)
      case 'queryOrClaim':
      case 'bodyOrClaim': {
        const holder = holders[tenant === 'queryOrClaim' ? 'query' : 'body']
        return namesTenant(holder) || !host.hasTenant(call) ? tenantIdIn(holder) : host.tenantOf(call)
      }
      default:
        return tenantIdIn(holders[tenant])
    }
  }

/** Serves one request in seven steps, in the order of docs/http.md, "Order of the checks". */
function serve<Call>(definition: RouteDefinition, handler: Handler<Call>, host: RouteHost<Call>): Served {
  const { params, limitedAttempts } = definition
  const query = parserOf(definition.query)
  const body = bodyReaderOf(definition)
  const names = parameterNames(definition.path)
  const rawParams = (values: readonly string[]) =>
    Object.fromEntries(names.map((name, index) => [name, values[index]!])) as Record<string, string>
  const readsQuery = definition.tenant === 'query' || definition.tenant === 'queryOrClaim'
  const readTenantId = tenantReader(definition, host)
  const setSuccessor = successorHeaders(definition)
  const apiVersion = /^\/api\/v(\d+)\//.exec(definition.path)?.[1]
  const versionHeaders = apiVersion === undefined ? [] : ['api-supported-versions', `${apiVersion}.0`]

  return {
    route: definition.path,
    read(values) {
      const raw = rawParams(values)
      const parsed = params?.safeParse(raw, { error: sentenceOf })
      return parsed?.error && isOtherAddress(parsed.error) ? undefined : { values, raw, parsed }
    },
    async answer(request, response, { values, raw, parsed: parsedParams }) {
      response.addStanding(...versionHeaders)
      setSuccessor?.(response, values)
      let stage: Stage = 'checks'
      const slice = new TimeSlice()
      let sender: BodySender | undefined
      try {
        if (limitedAttempts === 'all') {
          host.attempts.take(request, definition)
        }
        const call = await host.createCall(request, response, definition)
        host.admit(call, definition)
        if (parsedParams?.error) {
          throw rejected(parsedParams.error)
        }
        sender = body && host.senderOf(call, request)
        const rawBody = body && sender ? await body.read(request, response, sender) : undefined
        const rawQuery = query || readsQuery ? queryOf(request) : undefined
        const parsedQuery = query && parse(query, rawQuery)
        const parsedBody = body?.parse(rawBody)
        const tenantId = readTenantId(call, { query: rawQuery, body: rawBody, route: raw })
        const input = {
          params: parsedParams?.data,
          query: parsedQuery,
          body: parsedBody,
          tenantId,
        } as RouteInput<RouteDefinition>
        stage = 'lookup'
        if (slice.isOver) {
          await slice.yield()
        }
        let passOn: ReturnType<NonNullable<typeof host.elsewhere>>
        const result = await host.queued(call, definition, async () => {
          sender?.held.close()
          const things = await host.authorize(call, definition, input)
          // The body, or the requests before this one, may have taken long.
          host.admit(call, definition)
          stage = 'work'
          passOn = host.elsewhere?.(request, definition, things)
          if (passOn) {
            return undefined
          }
          return await host.handle(
            call,
            definition,
            input,
            async () => handler(call, Object.assign(input, things)) as Promise<RouteResult<RouteDefinition>>,
          )
        })
        if (passOn) {
          await passOn(response, rawBody)
          return
        }
        if (slice.isOver) {
          await slice.yield()
        }
        await sendResult(request, response, { definition, input, result, isStrict: host.isStrict, slice })
      } catch (error) {
        const isGuess = limitedAttempts === 'guesses' && error instanceof AppError && error.isGuess
        const failure = isGuess ? (refusalOf(() => host.attempts.take(request, definition)) ?? error) : error
        const { failures: encoding, ruledMember } = definition
        sendFailure(request, response, { error: failure, encoding, ruledMember, stage, log: host.log })
      } finally {
        sender?.held.close()
      }
    },
  }
}

/** Finds the handler of a request; undefined for an unknown path. */
export type Router = (request: IncomingMessage) => ((response: Response) => void) | undefined

const isReadable = (values: readonly (string | undefined)[]): values is readonly string[] => !values.includes(undefined)

/**
 * Finds the route of a request by its path and method; other methods on a known path are answered 405. Calls `matched`
 * with the declared path.
 */
export function createRouter<Call>(
  groups: readonly BoundGroup<Call>[],
  host: RouteHost<Call>,
  matched?: (request: IncomingMessage, route: string) => void,
): Router {
  const table = new PathTable<Map<string, Served>>()
  for (const { group, handlers } of groups) {
    for (const [name, definition] of Object.entries(group.routes)) {
      const methods = table.at(definition.path, () => new Map<string, Served>())
      if (methods.has(definition.method)) {
        throw new Error(`Two routes are declared for ${definition.method} ${definition.path}.`)
      }
      methods.set(definition.method, serve(definition, handlers[name]!, host))
    }
  }
  const refuse = (error: AppError) => (response: Response) => sendError(response, error, host.log)
  return (request) => {
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    for (const { value: methods, segments } of table.find(pathOf(request))) {
      const values = segments.map(decodedSegment)
      // Programs that read the text later may truncate it at the NUL.
      if (!isReadable(values) || request.url?.includes('%00')) {
        return refuse(new AppError(400, 'This address is malformed.'))
      }
      const served = methods.get(method)
      const path = served?.read(values)
      if (served && path) {
        matched?.(request, served.route)
        return (response) => host.answering(served.answer(request, response, path))
      }
      if (!served && [...methods.values()].some((other) => other.read(values))) {
        const allow = [...methods.keys()].join(', ')
        return refuse(new AppError(405, `Use ${allow}.`, { headers: { allow } }))
      }
    }
    return undefined
  }
}
