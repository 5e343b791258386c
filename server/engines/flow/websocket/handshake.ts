import { hash } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** A plain HTTP response instead of the 101. */
export interface Refusal {
  readonly status: number
  readonly body: string
  /** An additional header line. */
  readonly header?: string
}

/** Upgrades that no WebSocket client sends. */
const wrongMethod: Refusal = { status: 405, body: 'WebSocket requests must use GET.' }
const wrongUpgrade: Refusal = { status: 400, body: 'This is not a WebSocket upgrade.' }
const wrongKey: Refusal = { status: 400, body: 'Missing or invalid Sec-WebSocket-Key.' }
const wrongProtocols: Refusal = { status: 400, body: 'Invalid Sec-WebSocket-Protocol.' }
const wrongVersion: Refusal = {
  status: 426,
  body: 'This WebSocket version is not supported.',
  header: 'Sec-WebSocket-Version: 13',
}

/** From RFC 6455: proves that the server supports WebSocket. */
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const keyPattern = /^[\d+/A-Za-z]{22}==$/
const tokenPattern = /^[\w!#$%&'*+.^`|~-]+$/

/** The 101 response to an upgrade, without extensions. `select` selects a requested subprotocol. */
export function answerTo(
  { method, headers }: IncomingMessage,
  select: (protocols: readonly string[]) => string | undefined,
): string | Refusal {
  if (method !== 'GET') {
    return wrongMethod
  }
  if (headers.upgrade?.toLowerCase() !== 'websocket') {
    return wrongUpgrade
  }
  const key = headers['sec-websocket-key']
  if (key === undefined || !keyPattern.test(key)) {
    return wrongKey
  }
  if (headers['sec-websocket-version'] !== '13') {
    return wrongVersion
  }
  const protocols = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? []
  if (!protocols.every((name) => tokenPattern.test(name)) || new Set(protocols).size < protocols.length) {
    return wrongProtocols
  }
  const selected = select(protocols)
  return [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${hash('sha1', key + guid, 'base64')}`,
    ...(selected === undefined ? [] : [`Sec-WebSocket-Protocol: ${selected}`]),
    '\r\n',
  ].join('\r\n')
}

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
