import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import express, { Router, type Express } from 'express'
import absolutePath from 'swagger-ui-dist/absolute-path.js'

/** Library files that the page loads; the rest of the package is for bundlers. */
const libraryFile = /^\/(swagger-ui\.css|swagger-ui-bundle\.js|swagger-ui-standalone-preset\.js|favicon-32x32\.png)$/

const setHeaders = (response: { setHeader(name: string, value: string): void }) =>
  response.setHeader('cache-control', 'no-cache')

/** Names and addresses of API descriptions. */
export const listDocuments = (paths: readonly string[]) =>
  paths.map((url) => ({ url, name: /(\w+)\.json$/.exec(url)?.[1] ?? url }))

interface ApiDocument {
  etag: string
  json: Buffer
  packed: Buffer
}

async function documentOf(build: () => unknown): Promise<ApiDocument> {
  const json = Buffer.from(JSON.stringify(build()))
  const etag = `W/"${createHash('sha256').update(json).digest('base64url')}"`
  return { etag, json, packed: await promisify(gzip)(json) }
}

/** Serves API descriptions by path, packed to clients that accept it. */
export function serveDescriptions(app: Express, descriptions: Record<string, () => unknown>): void {
  for (const [path, build] of Object.entries(descriptions)) {
    // Built once, as one buffer for all who read it: building blocks the event loop for too long.
    let made: Promise<ApiDocument> | undefined
    app.get(path, async (request, response) => {
      made ??= documentOf(build)
      made.catch(() => (made = undefined))
      const { etag, json, packed } = await made
      response.set({ etag, 'cache-control': 'no-cache', vary: 'Accept-Encoding' }).type('json')
      if (request.fresh) {
        response.status(304).end()
      } else if (request.acceptsEncodings('gzip')) {
        response.set('content-encoding', 'gzip').end(packed)
      } else {
        response.end(json)
      }
    })
  }
}

/** Serves the page that shows API descriptions, with all its files: the page works offline. */
export function referenceUi(directory: string, documents: readonly string[]): Router {
  const router = Router()
  const options = { index: false, cacheControl: false, setHeaders } as const
  const library = express.static(absolutePath(), options)
  router.get('/', (_request, response) => {
    setHeaders(response)
    response.sendFile(join(directory, 'index.html'))
  })
  router.get('/documents.json', (_request, response) => void response.json(listDocuments(documents)))
  router.use(express.static(directory, options))
  router.use((request, response, next) => {
    if (libraryFile.test(request.path)) {
      library(request, response, next)
    } else {
      next()
    }
  })
  return router
}
