import type { IncomingMessage } from 'node:http'
import type { App, Principal } from '../context.ts'
import type { RemoteAddressOf } from '../http/request.ts'
import type { Site } from '../http/site.ts'
import { createCookieScheme } from './cookie.ts'

/** Finds out who sent a request. Throws 400 or 401 for a broken credential; a missing one is undefined. */
export type Authenticate = (request: IncomingMessage) => Promise<Principal | undefined>

/** One kind of credential. */
export interface Scheme {
  /** Whether the request carries this credential, whatever it is worth. */
  handles(request: IncomingMessage): boolean
  authenticate(request: IncomingMessage): Principal | undefined | Promise<Principal | undefined>
}

export interface SchemeOptions {
  remoteAddressOf: RemoteAddressOf
  site: Site
}

/** The first scheme that handles a request decides alone, in the order of the interface's "Scheme selection". */
export function createAuthenticator(app: App, options: SchemeOptions): Authenticate {
  const schemes: Scheme[] = [createCookieScheme(app, options)]
  return async (request) => schemes.find((scheme) => scheme.handles(request))?.authenticate(request)
}
