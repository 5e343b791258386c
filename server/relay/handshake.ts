import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { wrongKey, wrongMethod, wrongProtocols, wrongUpgrade, wrongVersion, type Refusal } from './refusals.ts'

/** From RFC 6455: proves that the server supports WebSocket. */
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const keyPattern = /^[\d+/A-Za-z]{22}==$/
const tokenPattern = /^[\w!#$%&'*+.^`|~-]+$/

/** The 101 response to an upgrade: with the first requested subprotocol, and no extension. */
export function answerTo({ method, headers }: IncomingMessage): string | Refusal {
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
  const accepted = createHash('sha1').update(`${key}${guid}`).digest('base64')
  return [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accepted}`,
    ...protocols.slice(0, 1).map((name) => `Sec-WebSocket-Protocol: ${name}`),
    '\r\n',
  ].join('\r\n')
}
