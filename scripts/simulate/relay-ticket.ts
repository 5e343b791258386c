import { randomBytes, randomUUID } from 'node:crypto'

/** What a viewer makes for a session: its id, its secret, and the addresses of both ends. */
export interface RelayTicket {
  sessionId: string
  token: string
  requester: string
  responder: string
}

/** A ticket for the relay of the server at `url`, where each end waits for the other for 30 s. */
export function makeTicket(url: string, sessionId: string = randomUUID()): RelayTicket {
  const token = randomBytes(64).toString('base64url')
  const at = (role: string) =>
    `${url.replace(/^http/, 'ws')}/relay?sessionId=${sessionId}&accessToken=${token}&timeout=30&role=${role}`
  return { sessionId, token, requester: at('requester'), responder: at('responder') }
}
