import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import compression from 'compression'
import express, { type Express, type Request, type RequestHandler, type Response as ExpressResponse } from 'express'
import helmet from 'helmet'
import { problemKinds, type ProblemStatus } from '../../../shared/contract/problem.ts'
import { AppError, notFound } from '../../errors.ts'
import { crossOrigin } from './cross-origin.ts'
import { sendError } from './error-handler.ts'
import { listDocuments, referenceUi } from './reference.ts'
import { pathOf } from './request.ts'
import { requestIdHeader, type HeaderList, type Listener, type Response } from './response.ts'
import { createRouter, type BoundGroup, type RouteHost } from '../contract/router.ts'
import { endpointFor, type Endpoint } from './upgrade.ts'

export interface HttpAppOptions<Call> {
  groups: readonly BoundGroup<Call>[]
  host: RouteHost<Call>
  /** Hubs and other paths with long-lived connections; they are served without Express. */
  endpoints: readonly Endpoint[]
  /** Folder of the built interface. */
  rendererDirectory: string
  /** Folder behind `/downloads`; whether a path stays inside the folder; throws for a file that may not be served. */
  downloads: { directory: string; holds(path: string): Promise<boolean>; refuseForeign(path: string): Promise<void> }
  /** API descriptions by path, built on demand; with any, the page that shows them is served too. */
  documents: Record<string, () => unknown>
  /** Folder of that reference page. */
  referenceDirectory: string
  isHealthy(): Promise<boolean>
  /** Further origins that the page at a path may call, because it needs them. */
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

/** Extracts the headers that a header-only middleware sets on every response. */
function headersOf(middleware: ReturnType<typeof helmet>): HeaderList {
  const headers: string[] = []
  const recorder = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader: () => {},
  }
  middleware({} as IncomingMessage, recorder as unknown as ServerResponse, () => {})
  return headers
}

/** Page headers that allow calls to `origins` besides our own. */
const pageHeadersWith = (...origins: readonly string[]) =>
  headersOf(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'self'"],
          baseUri: ["'none'"],
          connectSrc: ["'self'", ...origins],
          fontSrc: ["'self'"],
          formAction: ["'self'"],
          frameAncestors: ["'none'"],
          imgSrc: ["'self'", 'data:', 'blob:'],
          objectSrc: ["'none'"],
          scriptSrc: ["'self'"],
          // The component library and the terminal set styles at run time.
          styleSrc: ["'self'", "'unsafe-inline'"],
          workerSrc: ["'self'", 'blob:'],
        },
      },
      // Most certificates here are trusted on one network only: `mayInsistOnTls` decides.
      strictTransportSecurity: false,
      originAgentCluster: false,
    }),
  )
const pageHeaders = pageHeadersWith()

/** Headers for responses that no browser shows as a page. */
const dataHeaders = headersOf(
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    strictTransportSecurity: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  }),
)

/** A month: limits the lockout after a switch back to an untrusted certificate. */
const insistOnTls = ['strict-transport-security', 'max-age=2592000']

/** Express wraps the response: only headers set with `setHeader` survive. */
function setHeaders(response: ServerResponse, headers: HeaderList) {
  for (let index = 0; index < headers.length; index += 2) {
    response.setHeader(headers[index]!, headers[index + 1]!)
  }
}

// Level 1: LAN bandwidth is cheap, and the CPU is shared with every device.
const compress = compression({ level: 1 })

/** Reports only that the process responds. */
const alive = () => Promise.resolve(true)

const health = (isUp: () => Promise<boolean>) => async (_request: Request, response: ExpressResponse) => {
  const isHealthy = await isUp()
  response.status(isHealthy ? 200 : 503)
  response.set('cache-control', 'no-store')
  response.type('text/plain').send(isHealthy ? 'Healthy' : 'Unhealthy')
}

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
      fallthrough: false,
      cacheControl: false,
      setHeaders: (response) => void response.setHeader('cache-control', 'no-cache'),
    }),
  )
  // Mounted before the compression, too: a request whose response it wraps outlives the quick garbage collections (T40).
  app.get('/health', health(options.isHealthy))
  app.get('/alive', health(alive))
  app.use(compress)
  for (const [path, build] of Object.entries(options.documents)) {
    // Built once, because building a document blocks the event loop for too long.
    let json: string | undefined
    app.get(path, (_request, response) => {
      json ??= JSON.stringify(build())
      response.type('json').send(json)
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
    const more = [...(mayInsistOnTls?.(request) ? insistOnTls : []), requestIdHeader, response.requestId]
    if (answer) {
      response.addStanding(...dataHeaders, ...more)
    } else {
      const callable = options.callable[pathOf(request)]
      const headers = callable ? pageHeadersWith(...callable()) : pageHeaders
      setHeaders(response, [...headers, ...more])
    }
    const endpoint = answer ? undefined : endpointFor(endpoints, pathOf(request))
    if (endpoint) {
      observer?.matched(request, endpoint.path)
      void endpoint.request(request, response)
    } else if (!answer) {
      app(request, response)
    } else if (request.headers['accept-encoding'] === undefined) {
      answer(response)
    } else {
      compress(request as Request, response as unknown as ExpressResponse, () => answer(response))
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
