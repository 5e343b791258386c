import { request, type Agent } from 'node:https'

/** More than any answer to an agent; an installer is the longest one. */
const mostBytes = 64 * 1024 * 1024

export interface PlainRequest {
  method?: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
  /** Of a server that is not pinned; a pinned one sends nobody elsewhere. */
  redirect?: 'error'
}

/** As `fetch`, over the connections of this agent: the whole answer in memory, and no redirect is followed. */
export function requestOver(
  agent: Agent,
  url: URL,
  { method = 'GET', headers = {}, body, signal }: PlainRequest = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers, ...(signal && { signal }) }, (answer) => {
      const chunks: Buffer[] = []
      let length = 0
      answer.on('data', (chunk: Buffer) => {
        length += chunk.length
        chunks.push(chunk)
        if (length > mostBytes) {
          sent.destroy(new Error(`The answer of ${url.origin} is too long.`))
        }
      })
      answer.on('error', reject)
      answer.on('end', () => {
        const { statusCode: status = 0 } = answer
        if (status >= 300 && status < 400) {
          reject(new Error(`${url.origin} wants to send this device elsewhere.`))
          return
        }
        const given = Object.entries(answer.headers).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value] satisfies [string, string]] : [],
        )
        const hasBody = ![204, 205].includes(status)
        resolve(new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers: given }))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
