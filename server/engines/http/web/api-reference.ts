import { join } from 'node:path'
import express, { Router } from 'express'
import absolutePath from 'swagger-ui-dist/absolute-path.js'

/** Library files that the page loads; the rest of the package is for bundlers. */
const libraryFile = /^\/(swagger-ui\.css|swagger-ui-bundle\.js|swagger-ui-standalone-preset\.js|favicon-32x32\.png)$/

const setHeaders = (response: { setHeader(name: string, value: string): void }) =>
  response.setHeader('cache-control', 'no-cache')

/** Names and addresses of API descriptions. */
export const listDocuments = (paths: readonly string[]) =>
  paths.map((url) => ({ url, name: /(\w+)\.json$/.exec(url)?.[1] ?? url }))

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
