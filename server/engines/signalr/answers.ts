import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

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
