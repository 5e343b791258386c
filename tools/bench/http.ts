import { once } from 'node:events'
import { Agent, request as send, type IncomingMessage } from 'node:http'
import type { ServerProcess } from '../simulate/server-process.ts'
import { costOf, percentiles, timesOf, within, type Figures } from './measure.ts'

export interface HttpRequest {
  method?: string
  /** Path with query. */
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Builds the nth request of a connection. */
export type RequestOf = (connection: number, n: number) => HttpRequest

export interface Load {
  connections: number
  seconds: number
}

/** Sends a request, and reads the response to its end. */
export async function exchange(url: string, request: HttpRequest, agent?: Agent): Promise<void> {
  const { path, body, ...options } = request
  const sent = send(url + path, { ...options, ...(agent && { agent }) }).end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  await once(answer.resume(), 'end')
  if (!String(answer.statusCode).startsWith('2')) {
    throw new Error(`${path} answered ${answer.statusCode}.`)
  }
}

/** Rate, times and the server's CPU time of requests over keep-alive connections, each after the previous response. */
export async function loadHttp(
  server: ServerProcess,
  request: RequestOf,
  { connections, seconds: forSeconds }: Load,
): Promise<Figures> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  const { seconds, cpu } = await costOf({ server }, async () => {
    const goesOn = within(forSeconds)
    const load = async (index: number) => timesOf((n) => exchange(server.url, request(index, n), agent), goesOn)
    times.push(...(await Promise.all([...Array(connections).keys()].map(load))).flat())
  })
  agent.destroy()
  return {
    requestsPerSecond: times.length / seconds,
    cpuMsPerRequest: (cpu.server * 1000) / times.length,
    ...percentiles(times),
  }
}
