import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request, Response as ExpressResponse } from 'express'
import { crossOrigin } from './cross-origin.ts'
import { sendError } from './error-handler.ts'
import { healthAnswer, type HealthChecks } from './health-answer.ts'
import { pathOf } from './request.ts'
import { echoOf, type HeaderList, type Listener, type Response } from './response.ts'
import { dataHeaders, insistOnTls, pageHeaders, pageHeadersWith } from './security-headers.ts'
import { compress, createFileServer, type FileServerOptions } from './static-files.ts'
import { createRouter, type BoundGroup, type RouteHost } from '../contract/router.ts'
import { endpointFor, type Endpoint } from './upgrade.ts'

export interface HttpAppOptions<Call> extends Omit<FileServerOptions, 'log'> {
  groups: readonly BoundGroup<Call>[]
  host: RouteHost<Call>
  /** Hubs and other paths with long-lived connections; they are served without Express. */
  endpoints: readonly Endpoint[]
  health: HealthChecks
  /** Further origins that the page at a path may call. */
  callable: Readonly<Record<string, () => readonly string[]>>
  /** True if browsers may be told to use TLS only, by the Host of a request. */
  mayInsistOnTls?(request: IncomingMessage): boolean
  /** Throws for a request that must not be answered, whatever its path. */
  guard?(request: IncomingMessage): void
  /** Foreign origins whose pages may read responses. */
  corsOrigins: readonly string[]
  onRequest?(request: IncomingMessage, status: number, durationMs: number): void
  /** Follows each request to its end. */
  observer?: RequestObserver
}

export interface RequestObserver {
  run(request: IncomingMessage, response: ServerResponse, work: () => void): void
  /** Called with the pattern of the path that serves a request. */
  matched(request: IncomingMessage, route: string): void
}

/** Express wraps the response: only headers set with `setHeader` survive. */
function setHeaders(response: ServerResponse, headers: HeaderList) {
  for (let index = 0; index < headers.length; index += 2) {
    response.setHeader(headers[index]!, headers[index + 1]!)
  }
}

/**
 * Combines all HTTP handlers in one request listener. Declared routes bypass Express, which costs many times as much as
 * a read from memory (`docs/decisions/`); Express serves files and pages.
 */
export function createHttpApp<Call>(options: HttpAppOptions<Call>): Listener {
  const files = createFileServer({ ...options, log: options.host.log })
  const { endpoints, onRequest, observer, corsOrigins, guard, mayInsistOnTls, host } = options
  const route = createRouter(options.groups, host, observer?.matched)
  const allowOrigin = corsOrigins.length > 0 ? crossOrigin(corsOrigins) : undefined
  const serve = (request: IncomingMessage, response: Response) => {
    try {
      guard?.(request)
    } catch (error) {
      sendError(response, error, host.log)
      return
    }
    const answer = route(request)
    const health = answer ? undefined : healthAnswer(options.health, request, host.log)
    const tlsHeaders = mayInsistOnTls?.(request) ? insistOnTls : []
    const echo = echoOf(request)
    if (answer || health) {
      response.addStanding(...dataHeaders, ...tlsHeaders, ...echo)
    } else {
      const callable = options.callable[pathOf(request)]
      setHeaders(response, [...(callable ? pageHeadersWith(...callable()) : pageHeaders), ...tlsHeaders, ...echo])
    }
    if (health) {
      void health(response)
      return
    }
    const endpoint = answer ? undefined : endpointFor(endpoints, pathOf(request))
    if (endpoint && !endpoint.isPage?.(request)) {
      observer?.matched(request, endpoint.path)
      void endpoint.request(request, response)
      return
    }
    host.unread.watch(response)
    if (!answer) {
      files(request, response)
    } else {
      if (request.headers['accept-encoding'] !== undefined) {
        response.compressBy(() => compress(request as Request, response as unknown as ExpressResponse, () => {}))
      }
      answer(response)
    }
  }
  return (request, response) => {
    if (onRequest) {
      const start = performance.now()
      response.once('finish', () => onRequest(request, response.statusCode, performance.now() - start))
    }
    const work = () =>
      allowOrigin ? allowOrigin(request, response, () => serve(request, response)) : serve(request, response)
    if (observer) {
      observer.run(request, response, work)
    } else {
      work()
    }
  }
}
