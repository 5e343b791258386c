import { once } from 'node:events'
import { Agent, request as send, type IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { ServerProcess } from '../simulate/server-process.ts'
import { costOf, percentiles, rateOf, timesOf, within, type Figures } from './measure.ts'

export interface HttpRequest {
  method?: string
  /** Path with query. */
  path: string
  headers?: Record<string, string>
  body?: string | readonly (string | Buffer)[]
}

/** Builds the nth request of a connection. */
export type RequestOf = (connection: number, n: number) => HttpRequest

export interface Load {
  connections: number
  seconds: number
}

/** Sends a request, and reads the response to its end; returns its number of bytes. */
export async function exchange(url: string, request: HttpRequest, agent?: Agent): Promise<number> {
  const { path, body, ...options } = request
  const sent = send(url + path, { ...options, ...(agent && { agent }) })
  const answered = once(sent, 'response')
  await (typeof body === 'object' ? pipeline(body, sent) : sent.end(body))
  const [answer] = (await answered) as [IncomingMessage]
  let bytes = 0
  await once(
    answer.on('data', ({ length }: Buffer) => (bytes += length)),
    'end',
  )
  if (!String(answer.statusCode).startsWith('2')) {
    throw new Error(`${path} answered ${answer.statusCode}.`)
  }
  return bytes
}

/** Rate, times and the server's CPU time of requests over keep-alive connections, each after the previous response. */
export async function loadHttp(
  server: ServerProcess,
  request: RequestOf,
  { connections, seconds }: Load,
): Promise<Figures> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  const cost = await costOf({ server }, async () => {
    const goesOn = within(seconds)
    const load = async (index: number) => timesOf((n) => exchange(server.url, request(index, n), agent), goesOn)
    times.push(...(await Promise.all([...Array(connections).keys()].map(load))).flat())
  })
  agent.destroy()
  return { ...rateOf(times.length, cost), ...percentiles(times) }
}
