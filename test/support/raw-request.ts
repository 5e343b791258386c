import { request as requestPlain, type IncomingHttpHeaders } from 'node:http'
import { request as requestSecure } from 'node:https'
import { text } from 'node:stream/consumers'

interface RawRequest {
  method?: string
  headers?: Record<string, string>
  body?: string
}

export interface RawResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Sends a path and headers exactly as they are written; `fetch` would tidy them. */
export function rawRequest(
  url: string,
  path: string,
  { method, headers, body }: RawRequest = {},
): Promise<RawResponse> {
  const { protocol, hostname, port } = new URL(url)
  const request = protocol === 'https:' ? requestSecure : requestPlain
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method: method ?? 'GET', headers: headers ?? {} }, (response) => {
      text(response).then(
        (content) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: content }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
