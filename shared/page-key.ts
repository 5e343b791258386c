/*
 * Cookies belong to a host with all its ports, page storage to one origin (T34). A session of our page needs the cookie
 * and a key together; the page generates the key, keeps it in its storage, and sends it with every request.
 */

/** Header with the page's key. A sign-in with this header creates a session that is unusable without the key. */
export const pageKeyHeader = 'x-page-key'

/** WebSocket subprotocol that servers choose. */
export const pageProtocol = 'farhand'

/** Prefix of the WebSocket subprotocol with the key: browsers cannot set headers on WebSockets. */
const keyProtocol = 'page-key.'

/** Subprotocols of the page's WebSockets: the key is in the second, which no response repeats. */
export const pageProtocols = (key: string): string[] => [pageProtocol, keyProtocol + key]

/** Extracts the key from the subprotocols of a WebSocket. */
export const keyInProtocols = (protocols = ''): string | undefined =>
  protocols
    .split(',')
    .map((name) => name.trim())
    .find((name) => name.startsWith(keyProtocol))
    ?.slice(keyProtocol.length)

/** Query parameter with a one-time ticket, instead of the key, for requests made by the browser itself: downloads. */
export const pageTicketParameter = 'pageTicket'
