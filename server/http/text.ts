import type { IncomingMessage, ServerResponse } from 'node:http'
import accepts from 'accepts'

/** Sends a string as plain text, or as a JSON string to a client that asks for JSON; anything else as JSON. */
export function sendText(request: IncomingMessage, response: ServerResponse, value: unknown): void {
  if (typeof value === 'string') {
    const vary = response.getHeader('vary')
    response.setHeader('vary', vary === undefined ? 'Accept' : `${String(vary)}, Accept`)
  }
  if (typeof value === 'string' && accepts(request).type(['text/plain', 'application/json']) !== 'application/json') {
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    response.end(value)
    return
  }
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(value))
}
