import { request, type Agent } from 'node:https'
import type { ClientRequest, IncomingMessage } from 'node:http'

/** Reads a whole response; a response longer than `mostBytes` aborts the request with `tooLong`. */
export function wholeAnswer(
  request: ClientRequest,
  answer: IncomingMessage,
  mostBytes: number,
  tooLong: string,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    answer.on('data', (chunk: Buffer) => {
      length += chunk.length
      chunks.push(chunk)
      if (length > mostBytes) {
        request.destroy(new Error(tooLong))
      }
    })
    answer.on('error', reject)
    answer.on('end', () => resolve(Buffer.concat(chunks)))
  })
}

/** Limit for a response; an installer is the largest. */
const mostBytes = 64 * 1024 * 1024

export interface PlainRequest {
  method?: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
  /** Redirect mode for an unpinned server; a pinned server sends no redirects. */
  redirect?: 'error'
}

/** Works like `fetch` over the connections of this agent: the whole response in memory, without redirects. */
export function requestOver(
  agent: Agent,
  url: URL,
  { method = 'GET', headers = {}, body, signal }: PlainRequest = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers, ...(signal && { signal }) }, (answer) => {
      const respond = (bytes: Buffer<ArrayBuffer>) => {
        const { statusCode: status = 0 } = answer
        if (status >= 300 && status < 400) {
          throw new Error(`${url.origin} wants to send this device elsewhere.`)
        }
        const given = Object.entries(answer.headers).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value] satisfies [string, string]] : [],
        )
        const hasBody = ![204, 205].includes(status)
        return new Response(hasBody ? bytes : null, { status, headers: given })
      }
      wholeAnswer(sent, answer, mostBytes, `The answer of ${url.origin} is too long.`)
        .then(respond)
        .then(resolve, reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
