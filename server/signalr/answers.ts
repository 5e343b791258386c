import { STATUS_CODES, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

const plainText = { 'Content-Type': 'text/plain' }

/** Sends a whole plain-text response; most have an empty body. */
export function answer(response: ServerResponse, status: number, body = '', headers?: OutgoingHttpHeaders): void {
  if (response.headersSent || response.destroyed) {
    return
  }
  response.writeHead(status, { ...headers, ...plainText, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

export function answerJson(response: ServerResponse, value: object): void {
  const body = JSON.stringify(value)
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

/** Rejects an upgrade with a plain-text response; Node makes no response object for upgrades. */
export function answerUpgrade(socket: Duplex, status: number, body = ''): void {
  socket.on('error', () => {})
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
