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
  /** Hubs and other paths that keep their connections open; they are answered before Express. */
  endpoints: readonly Endpoint[]
  /** Folder of the built interface. */
  rendererDirectory: string
  /** Folder behind `/downloads`, whether a path leads to something in it, and what throws for a file that may not be served. */
  downloads: { directory: string; holds(path: string): Promise<boolean>; refuseForeign(path: string): Promise<void> }
  /** Interface descriptions by path, made when they are asked for; with any, the page that shows them is served too. */
  documents: Record<string, () => unknown>
  /** Folder of that page. */
  referenceDirectory: string
  isHealthy(): Promise<boolean>
  /** Origins that the page at a path may call besides its own, where it can do nothing without. */
  callable: Readonly<Record<string, () => readonly string[]>>
  /** Whether browsers may be told to come with TLS only, by the name that a request came to. */
  mayInsistOnTls?(request: IncomingMessage): boolean
  /** Throws for a request that nothing may answer, whatever it asks for. */
  guard?(request: IncomingMessage): void
  /** Other origins whose pages may read answers. */
  corsOrigins: readonly string[]
  onRequest?(request: IncomingMessage, status: number, durationMs: number): void
}

/** What a middleware that only sets headers would set on every answer. */
function headersOf(middleware: ReturnType<typeof helmet>): HeaderList {
  const headers: string[] = []
  const recorder = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader: () => {},
  }
  middleware({} as IncomingMessage, recorder as unknown as ServerResponse, () => {})
  return headers
}

/** `origins` may be called besides our own. */
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
      // Most certificates here are known to one network only: `mayInsistOnTls` decides.
      strictTransportSecurity: false,
      originAgentCluster: false,
    }),
  )
const pageHeaders = pageHeadersWith()

/** The same for answers that no browser shows as a page. */
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

/** For a month: whoever goes back to a certificate that nobody knows is locked out for no longer. */
const insistOnTls = ['strict-transport-security', 'max-age=2592000']

/** Express answers with a response that it makes of ours: only headers that are set stay. */
function setHeaders(response: ServerResponse, headers: HeaderList) {
  for (let index = 0; index < headers.length; index += 2) {
    response.setHeader(headers[index]!, headers[index + 1]!)
  }
}

// Level 1: on a LAN the bytes are cheap and the processor is shared with every device.
const compress = compression({ level: 1 })

/** Whether the process answers, and nothing else. */
const alive = () => Promise.resolve(true)

const health = (isUp: () => Promise<boolean>) => async (_request: Request, response: ExpressResponse) => {
  const isHealthy = await isUp()
  response.status(isHealthy ? 200 : 503)
  response.set('cache-control', 'no-store')
  response.type('text/plain').send(isHealthy ? 'Healthy' : 'Unhealthy')
}

/** Refuses what a link in the folder leads to elsewhere, as if it were not there, and what no build wrote. */
const builtOnly =
  (downloads: HttpAppOptions<unknown>['downloads']): RequestHandler =>
  async (request, _response, next) => {
    const path = decoded(request.path)
    // The file server refuses what is not readable.
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

/** The interface: hashed files for ever, everything else is the one page, which routes by itself. */
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

/** Errors of Express and its file server as ours. */
function explain(error: HttpError): unknown {
  const { status = 500, headers } = error
  switch (status) {
    case 400:
      return new AppError(400, 'This address is not readable.')
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
  // Before the compression, which would make byte ranges of what it sends.
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
  app.use(compress)
  app.get('/health', health(options.isHealthy))
  app.get('/alive', health(alive))
  for (const [path, build] of Object.entries(options.documents)) {
    // Writing one takes longer than a request may hold up all others: once is enough.
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
 * Everything that answers HTTP, as one request listener. Declared routes are found and answered without Express, whose
 * own cost is many times that of a read from memory (`docs/decisions/`); it serves files and pages.
 */
export function createHttpApp<Call>(options: HttpAppOptions<Call>): Listener {
  const app = createExpress(options)
  const route = createRouter(options.groups, options.host)
  const { endpoints, onRequest, corsOrigins, guard, mayInsistOnTls, host } = options
  const share = corsOrigins.length > 0 ? crossOrigin(corsOrigins) : undefined
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
    if (share) {
      share(request, response, () => serve(request, response))
    } else {
      serve(request, response)
    }
  }
}
