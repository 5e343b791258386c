/*
 * Cookies belong to a host with all of its ports, page storage to one origin (T34). A session of our own page is opened by
 * the cookie and a key together; the page makes the key, keeps it in its storage, and sends it with every request.
 */

/** Header with the page's key. A sign-in with it makes a session that is worth nothing without it. */
export const pageKeyHeader = 'x-page-key'

/** WebSocket subprotocol that servers choose. */
export const pageProtocol = 'farhand'

/** Prefix of the WebSocket subprotocol that carries the key: browsers set no headers on WebSockets. */
const keyProtocol = 'page-key.'

/** Subprotocols of the page's WebSockets: the key is in the second, which no answer repeats. */
export const pageProtocols = (key: string): string[] => [pageProtocol, keyProtocol + key]

/** Key among the subprotocols of a WebSocket. */
export const keyInProtocols = (protocols = ''): string | undefined =>
  protocols
    .split(',')
    .map((name) => name.trim())
    .find((name) => name.startsWith(keyProtocol))
    ?.slice(keyProtocol.length)

/** Query parameter with a one-time ticket, in place of the key, for what the browser requests by itself: downloads. */
export const pageTicketParameter = 'pageTicket'

/** Fragment of the address that a link with a logon token leads to, before the claim of its session. */
export const claimFragment = '#session-claim='
