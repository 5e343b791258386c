import { join } from 'node:path'
import { constants as zlib } from 'node:zlib'
import compression from 'compression'
import express, { type Express, type Request, type RequestHandler, type Response as ExpressResponse } from 'express'
import { problemKinds, type ProblemStatus } from '../../../../shared/contract/problem.ts'
import { AppError, notFound } from '../../../ground/errors.ts'
import type { Log } from '../../../ground/log.ts'
import { listDocuments, referenceUi, serveDescriptions } from './api-descriptions.ts'
import { sendError } from './error-handler.ts'
import type { Response } from './response.ts'

export interface FileServerOptions {
  /** Folder of the built interface. */
  rendererDirectory: string
  /** Folder behind `/downloads`. `holds`: the path stays inside. `refuseForeign` throws for files not to be served. */
  downloads: { directory: string; holds(path: string): Promise<boolean>; refuseForeign(path: string): Promise<void> }
  /** API descriptions by path, built on demand; with any, the page that shows them is served too. */
  documents: Record<string, () => unknown>
  /** Folder of that reference page. */
  referenceDirectory: string
  log: Log
}

// LAN bandwidth is cheap, and processor and memory are shared with every device: Brotli's usual window is 4 MiB for each
// answer.
export const compress = compression({
  level: 1,
  brotli: { params: { [zlib.BROTLI_PARAM_QUALITY]: 1, [zlib.BROTLI_PARAM_LGWIN]: 16 } },
})

/** Answers 404 for a link that leads out of the folder; throws for a file that no build wrote. */
const builtOnly =
  (downloads: FileServerOptions['downloads']): RequestHandler =>
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

/** Serves `/downloads`, the API descriptions with their page, and the files of the interface. */
export function createFileServer(options: FileServerOptions): Express {
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
  serveDescriptions(app, options.documents)
  app.use(compress)
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
    sendError(response as ExpressResponse & Response, explain(error), options.log)
  })
  return app
}
