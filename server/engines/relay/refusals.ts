import type { Refusal } from '../flow/websocket/handshake.ts'
import type { Role } from './role.ts'

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
export const tooManyWaiting: Refusal = {
  status: 429,
  body: 'Too many connections are waiting for a session. Close some.',
}
export const shuttingDown: Refusal = { status: 503, body: '' }

const titles: Readonly<Record<Role, string>> = { requester: 'Requester', responder: 'Responder' }
export const roleTaken = (role: Role): Refusal =>
  badRequest(`Role '${titles[role]}' is already assigned for this session.`)
