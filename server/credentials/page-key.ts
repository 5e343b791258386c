import type { IncomingMessage } from 'node:http'
import { memberOf } from '../../shared/contract/lenient.ts'
import { keyInProtocols, pageKeyHeader, pageTicketParameter } from '../../shared/page-key.ts'
import type { App } from '../call/call.ts'
import { queryOf } from '../engines/http/contract/input.ts'
import { takePageTicket } from './page-tickets.ts'
import type { LiveSession } from './session-mirror.ts'
import { verifySecret } from '../engines/secrets/hashes.ts'

/** Key that our page sends with a request, in a header or as a subprotocol; an empty key counts as none. */
export function pageKeyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers[pageKeyHeader] ?? keyInProtocols(headers['sec-websocket-protocol'])
  return key === undefined || key === '' ? undefined : String(key)
}

/**
 * True if a request may use a session, besides having its cookie. Our page never uses a session that it did not create,
 * since a server on another port of the host can plant a cookie.
 */
export async function hasPageKey(
  app: App,
  request: IncomingMessage,
  { tokenHash, pageKeyHash }: LiveSession,
): Promise<boolean> {
  const key = pageKeyOf(request)
  if (pageKeyHash === null || key !== undefined) {
    return pageKeyHash === null ? key === undefined : verifySecret(pageKeyHash, key!)
  }
  const ticket = memberOf(queryOf(request), pageTicketParameter)
  const use = {
    sessionId: tokenHash,
    target: request.url ?? '',
    isResume: request.method === 'GET' && request.headers.range !== undefined,
  }
  return typeof ticket === 'string' && takePageTicket(app, ticket, use)
}
