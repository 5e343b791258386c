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

/** Sends a path and headers unchanged; `fetch` would normalize both. */
export function rawRequest(
  url: string,
  path: string,
  { method, headers, body }: RawRequest = {},
): Promise<RawResponse> {
  const { protocol, hostname, port } = new URL(url)
  const request = protocol === 'https:' ? requestSecure : requestPlain
  return new Promise((resolve, reject) => {
    // The Host header may be any, so the certificate's name is not checked.
    const checkServerIdentity = () => undefined
    const options = { hostname, port, path, method: method ?? 'GET', headers: headers ?? {}, checkServerIdentity }
    const sent = request(options, (response) => {
      text(response).then(
        (content) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: content }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
