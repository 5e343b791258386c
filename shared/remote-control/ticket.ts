import { guidFrom } from '../guid.ts'

/** A viewer's ticket for a session: its id, its secret, and the addresses of both ends. */
export interface RelayTicket {
  sessionId: string
  token: string
  requester: string
  responder: string
}

const tokenBytes = 64
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Encodes base64url without padding; the supported browsers have no function for it. */
function base64Url(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3)
    const bits = (first << 16) | (second << 8) | third
    const count = Math.min(4, bytes.length - at + 1)
    for (let letter = 0; letter < count; letter++) {
      text += letters[(bits >> (18 - letter * 6)) & 63]
    }
  }
  return text
}

/**
 * Makes a ticket for the relay of the server at `url`, with a timeout of 30 s for each end. `random` returns
 * cryptographically secure bytes.
 */
export function makeTicketWith(
  random: (bytes: number) => Uint8Array,
  url: string,
  sessionId: string = guidFrom(random(16)),
): RelayTicket {
  const token = base64Url(random(tokenBytes))
  const at = (role: string) =>
    `${url.replace(/^http/, 'ws')}/relay?sessionId=${sessionId}&accessToken=${token}&timeout=30&role=${role}`
  return { sessionId, token, requester: at('requester'), responder: at('responder') }
}
