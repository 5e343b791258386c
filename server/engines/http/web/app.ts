import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import compression from 'compression'
import express, { type Express, type Request, type RequestHandler, type Response as ExpressResponse } from 'express'
import { problemKinds, type ProblemStatus } from '../../../../shared/contract/problem.ts'
import { AppError, notFound } from '../../../ground/errors.ts'
import { crossOrigin } from './cross-origin.ts'
import { sendError } from './error-handler.ts'
import { healthAnswer, type HealthChecks } from './health.ts'
import { listDocuments, referenceUi } from './api-reference.ts'
import { pathOf } from './request.ts'
import { echoOf, type HeaderList, type Listener, type Response } from './response.ts'
import { dataHeaders, insistOnTls, pageHeaders, pageHeadersWith } from './security-headers.ts'
import { createRouter, type BoundGroup, type RouteHost } from '../contract/router.ts'
import { endpointFor, type Endpoint } from './upgrade.ts'

export interface HttpAppOptions<Call> {
  groups: readonly BoundGroup<Call>[]
  host: RouteHost<Call>
  /** Hubs and other paths with long-lived connections; they are served without Express. */
  endpoints: readonly Endpoint[]
  /** Folder of the built interface. */
  rendererDirectory: string
  /** Folder behind `/downloads`. `holds`: the path stays inside. `refuseForeign` throws for files not to be served. */
  downloads: { directory: string; holds(path: string): Promise<boolean>; refuseForeign(path: string): Promise<void> }
  /** API descriptions by path, built on demand; with any, the page that shows them is served too. */
  documents: Record<string, () => unknown>
  /** Folder of that reference page. */
  referenceDirectory: string
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
  /** Runs the work of a request. */
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

// Level 1: LAN bandwidth is cheap, and the CPU is shared with every device.
const compress = compression({ level: 1 })

/** Answers 404 for a link that leads out of the folder; throws for a file that no build wrote. */
const builtOnly =
  (downloads: HttpAppOptions<unknown>['downloads']): RequestHandler =>
  async (request, _response, next) => {
    const path = decoded(request.path)
    // The file server rejects malformed paths.
    if (path !== undefined) {
      if (!(await downloads.holds(path))) {
        throw notFound('address')
      }
      await downloads.refuseForeign(path)
    }
    next()
  }

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/**
 * Serves the interface: hashed files are cached forever, all other paths return the single page, which has its own
 * router.
 */
function mountRenderer(app: Express, directory: string) {
  app.use('/assets', express.static(join(directory, 'assets'), { immutable: true, maxAge: '365d', fallthrough: false }))
  app.use(
    express.static(directory, {
      index: false,
      cacheControl: false,
      setHeaders: (response) => void response.setHeader('cache-control', 'no-cache'),
    }),
  )
  app.get('/{*path}', (request, response, next) => {
    if (!request.accepts('html')) {
      next()
      return
    }
    response.set('cache-control', 'no-cache')
    response.sendFile(join(directory, 'index.html'))
  })
}

interface HttpError extends Error {
  status?: number
  headers?: Record<string, string>
}

const isProblemStatus = (status: number): status is ProblemStatus => Object.hasOwn(problemKinds, status)

/** Converts errors of Express and its file server to AppErrors. */
function explain(error: HttpError): unknown {
  const { status = 500, headers } = error
  switch (status) {
    case 400:
      return new AppError(400, 'This address is malformed.')
    // A path outside the folder, or a hidden file: both are 404 for everyone.
    case 403:
    case 404:
      return notFound('address')
    default:
      return isProblemStatus(status) && status < 500 ? new AppError(status, '', headers ? { headers } : {}) : error
  }
}

function createExpress<Call>(options: HttpAppOptions<Call>): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // Mounted before the compression, whose output would break byte ranges.
  app.use(
    '/downloads',
    builtOnly(options.downloads),
    express.static(options.downloads.directory, {
      index: false,
      redirect: false,
      fallthrough: false,
      cacheControl: false,
      setHeaders: (response) => void response.setHeader('cache-control', 'no-cache'),
    }),
  )
  app.use(compress)
  for (const [path, build] of Object.entries(options.documents)) {
    // Built once, because building a document blocks the event loop for too long.
    let json: string | undefined
    let etag = ''
    app.get(path, (request, response) => {
      if (json === undefined) {
        json = JSON.stringify(build())
        etag = `W/"${createHash('sha256').update(json).digest('base64url')}"`
      }
      response.set({ etag, 'cache-control': 'no-cache' })
      if (request.fresh) {
        response.status(304).end()
      } else {
        response.type('json').send(json)
      }
    })
  }
  const documentPaths = Object.keys(options.documents)
  if (documentPaths.length > 0) {
    app.get('/openapi', (_request, response) => void response.json(listDocuments(documentPaths)))
    app.use('/reference', referenceUi(options.referenceDirectory, documentPaths))
  }
  app.use(['/api', '/hubs', '/openapi', '/reference'], (_request: Request, _response: ExpressResponse) => {
    throw notFound('address')
  })
  mountRenderer(app, options.rendererDirectory)
  app.use(() => {
    throw notFound('address')
  })
  app.use((error: HttpError, _request: Request, response: ExpressResponse, _next: unknown) => {
    sendError(response as ExpressResponse & Response, explain(error), options.host.log)
  })
  return app
}

/**
 * Combines all HTTP handlers in one request listener. Declared routes bypass Express, which costs many times as much as
 * a read from memory (`docs/decisions/`); Express serves files and pages.
 */
export function createHttpApp<Call>(options: HttpAppOptions<Call>): Listener {
  const app = createExpress(options)
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
    const health = answer ? undefined : healthAnswer(options.health, request)
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
    } else if (!answer) {
      app(request, response)
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
