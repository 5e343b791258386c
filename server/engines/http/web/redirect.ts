import type { IncomingMessage, RequestListener } from 'node:http'

/** Redirects requests without TLS to `origin`, keeping the path. */
export const redirectTo =
  (origin: (request: IncomingMessage) => string): RequestListener =>
  (request, response) => {
    const { url = '' } = request
    const path = url.startsWith('/') ? url : '/'
    response.writeHead(308, {
      location: origin(request) + path,
      connection: 'close',
      'content-type': 'text/plain; charset=utf-8',
    })
    response.end('This address is served over TLS: use https.\n')
  }
