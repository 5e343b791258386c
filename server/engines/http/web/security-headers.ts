import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'
import type { HeaderList } from './response.ts'

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

/** Headers of pages that may call `origins` besides our own. */
export const pageHeadersWith = (...origins: readonly string[]): HeaderList =>
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

export const pageHeaders = pageHeadersWith()

/** Headers of downloads, whose contents and types come from devices and people. */
export const downloadHeaders = headersOf(
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    strictTransportSecurity: false,
    xContentTypeOptions: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  }),
)

/**
 * Headers of JSON and plain text. With `nosniff`, browsers neither run such a response nor pass its bytes to pages of
 * other origins, so headers for pages would have no effect.
 */
export const dataHeaders: HeaderList = ['x-content-type-options', 'nosniff']

/** A month: limits the lockout after a switch back to an untrusted certificate. */
export const insistOnTls: HeaderList = ['strict-transport-security', 'max-age=2592000']
