import type { IncomingMessage } from 'node:http'
import accepts from 'accepts'
import type { Head, Response } from '../web/response.ts'

/** Sends a string as plain text, or as a JSON string to a client that asks for JSON; any other value as JSON. */
export function sendText(
  request: IncomingMessage,
  response: Response,
  value: unknown,
  { status, headers }: Head,
): void {
  const isText = typeof value === 'string'
  const isPlain = isText && accepts(request).type(['text/plain', 'application/json']) !== 'application/json'
  const body = isPlain ? value : JSON.stringify(value)
  const length = Buffer.byteLength(body)
  response.compress(length)
  const varying = [response.getHeader('vary'), ...(isText ? ['Accept'] : [])].flat().filter(Boolean)
  response.writeHead(status, [
    ...headers,
    ...(varying.length > 0 ? ['vary', varying.join(', ')] : []),
    'content-type',
    `${isPlain ? 'text/plain' : 'application/json'}; charset=utf-8`,
    'content-length',
    String(length),
  ])
  response.end(body)
}
