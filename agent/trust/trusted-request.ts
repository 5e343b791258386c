import { request, type Agent } from 'node:https'
import { wholeAnswer } from './whole-answer.ts'

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
