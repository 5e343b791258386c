import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import compression from 'compression'
import express, { type Express, type Request, type Response } from 'express'
import helmet from 'helmet'
import { problemKinds, type ProblemStatus } from '../../shared/contract/problem.ts'
import { AppError, notFound } from '../errors.ts'
import { requestIdHeader, sendError } from './error-handler.ts'
import { pathOf } from './request.ts'
import { mountRoutes, type BoundGroup, type RouteHost } from './router.ts'
import { endpointFor, type Endpoint } from './upgrade.ts'

export interface HttpAppOptions<Context> {
  groups: readonly BoundGroup<Context>[]
  host: RouteHost<Context>
  /** Hubs and other paths that keep their connections open; they are answered before Express. */
  endpoints: readonly Endpoint[]
  /** Folder of the built interface. */
  rendererDirectory: string
  /** Folder behind `/downloads`. */
  downloadsDirectory: string
  /** Documents by path, made when they are asked for. */
  documents: Record<string, () => unknown>
  isHealthy(): Promise<boolean>
  onRequest?(request: IncomingMessage, status: number, durationMs: number): void
}

const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      baseUri: ["'none'"],
      connectSrc: ["'self'"],
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
  // Plain HTTP on a private network is a supported way to run; the HTTPS listener decides on its own.
  strictTransportSecurity: false,
  originAgentCluster: false,
})

/** The process answers: that is all. */
const alive = () => Promise.resolve(true)

const health = (isUp: () => Promise<boolean>) => async (_request: Request, response: Response) => {
  const isHealthy = await isUp()
  response.status(isHealthy ? 200 : 503)
  response.set('cache-control', 'no-store')
  response.type('text/plain').send(isHealthy ? 'Healthy' : 'Unhealthy')
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

/** What Express and its file server refuse, in our words. */
function explain(error: HttpError): unknown {
  const { status = 500, headers } = error
  switch (status) {
    case 400:
      return new AppError(400, 'This address is not readable.')
    // A path that leads out of the folder, or a hidden file: neither is there for anyone.
    case 403:
    case 404:
      return notFound('address')
    default:
      return isProblemStatus(status) && status < 500 ? new AppError(status, '', headers ? { headers } : {}) : error
  }
}

function createExpress<Context>(options: HttpAppOptions<Context>): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // Before the compression, which would make byte ranges of what it sends.
  app.use(
    '/downloads',
    express.static(options.downloadsDirectory, {
      index: false,
      fallthrough: false,
      cacheControl: false,
      setHeaders: (response) => void response.setHeader('cache-control', 'no-cache'),
    }),
  )
  // Level 1: on a LAN the bytes are cheap and the processor is shared with every device.
  app.use(compression({ level: 1 }))
  app.get('/health', health(options.isHealthy))
  app.get('/alive', health(alive))
  app.use(mountRoutes(options.groups, options.host))
  for (const [path, build] of Object.entries(options.documents)) {
    app.get(path, (_request, response) => void response.json(build()))
  }
  app.use(['/api', '/hubs', '/openapi'], (_request: Request, _response: Response) => {
    throw notFound('address')
  })
  mountRenderer(app, options.rendererDirectory)
  app.use(() => {
    throw notFound('address')
  })
  app.use((error: HttpError, _request: Request, response: Response, _next: unknown) => {
    sendError(response, explain(error), options.host.log)
  })
  return app
}

/** Everything that answers HTTP, as one request listener. */
export function createHttpApp<Context>(options: HttpAppOptions<Context>): RequestListener {
  const app = createExpress(options)
  const { onRequest } = options
  return (request: IncomingMessage, response: ServerResponse) => {
    if (onRequest) {
      const start = performance.now()
      response.once('finish', () => onRequest(request, response.statusCode, performance.now() - start))
    }
    response.setHeader(requestIdHeader, randomUUID())
    securityHeaders(request, response, () => {
      const endpoint = endpointFor(options.endpoints, pathOf(request))
      if (endpoint) {
        void endpoint.request(request, response)
      } else {
        app(request, response)
      }
    })
  }
}
