import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Role } from './role.ts'

/** A plain HTTP response instead of the 101. */
export interface Refusal {
  readonly status: number
  readonly body: string
  /** An additional header line. */
  readonly header?: string
}

const hint = 'Connect to /relay?sessionId={id}&accessToken={token}&role={requester|responder}.'
const badRequest = (sentence: string): Refusal => ({ status: 400, body: `${sentence}\n\n${hint}` })

export const invalidSessionId = badRequest('Invalid or missing session ID.')
export const invalidToken = badRequest('Invalid or missing access token.')
export const invalidRole = badRequest('Invalid or missing role.')
/** An unauthenticated requester, or a token that does not belong to the session. */
export const unauthorized: Refusal = { status: 401, body: '' }
/** A requester other than the one the session was announced for. */
export const forbidden: Refusal = { status: 403, body: '' }
export const negativeTimeout = badRequest('Timeout cannot be negative.')
export const timedOut: Refusal = { status: 408, body: 'Timed out while waiting for partner.' }
/** Upgrades that no WebSocket client sends. */
export const wrongMethod: Refusal = { status: 405, body: 'WebSocket requests must use GET.' }
export const wrongUpgrade: Refusal = { status: 400, body: 'This is not a WebSocket upgrade.' }
export const wrongKey: Refusal = { status: 400, body: 'Missing or invalid Sec-WebSocket-Key.' }
export const wrongProtocols: Refusal = { status: 400, body: 'Invalid Sec-WebSocket-Protocol.' }
export const wrongVersion: Refusal = {
  status: 426,
  body: 'This WebSocket version is not supported.',
  header: 'Sec-WebSocket-Version: 13',
}
export const tooManyWaiting: Refusal = {
  status: 429,
  body: 'Too many connections are waiting for a session. Close some.',
}
export const shuttingDown: Refusal = { status: 503, body: '' }

const titles: Readonly<Record<Role, string>> = { requester: 'Requester', responder: 'Responder' }
export const roleTaken = (role: Role): Refusal =>
  badRequest(`Role '${titles[role]}' is already assigned for this session.`)

/** Rejects an upgrade and closes its socket. */
export function refuse(socket: Duplex, { status, body, header }: Refusal): void {
  // The peer may disconnect meanwhile; that error needs no handling.
  socket.on('error', () => {})
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
      `${header === undefined ? '' : `${header}\r\n`}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
