import type { IncomingMessage } from 'node:http'
import type { App } from '../call/call.ts'
import type { Principal } from '../ground/principal.ts'
import { createApiKeyScheme } from './api-key-scheme.ts'
import { createBearerScheme } from './bearer.ts'
import { createCookieScheme } from './cookie.ts'
import { createLogonTokenScheme } from './logon-token-scheme.ts'
import { createPersonalTokenScheme } from './personal-access-token-scheme.ts'
import type { Scheme, SchemeOptions } from './scheme.ts'

/** Authenticates a request. Throws 400 or 401 for a broken credential; returns undefined without one. */
export type Authenticate = Scheme['authenticate']

/** The first scheme that handles a request decides alone, in the order below. */
export function createAuthenticator(app: App, options: SchemeOptions): Authenticate {
  const schemes: Scheme[] = [
    createLogonTokenScheme(app, options),
    createBearerScheme(app, options),
    createPersonalTokenScheme(app, options),
    createApiKeyScheme(app, options),
    createCookieScheme(app, options),
  ]
  const authenticate = async (request: IncomingMessage) =>
    schemes.find((scheme) => scheme.handles(request))?.authenticate(request)
  /** By request: a request that may be passed on is authenticated before, and where it is served; its key counts once. */
  const outcomes = new WeakMap<IncomingMessage, Promise<Principal | undefined>>()
  return (request) => {
    const known = outcomes.get(request) ?? authenticate(request)
    outcomes.set(request, known)
    return known
  }
}
