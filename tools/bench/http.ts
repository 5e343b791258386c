import { connect } from 'node:net'
import { withBare, type ServerProcess } from '../simulate/server-process.ts'
import { costOf, percentiles, type Figures, type Round } from './measure.ts'

export interface HttpRequest {
  method?: string
  /** Path with query. */
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Builds the nth request of a connection. */
export type RequestOf = (connection: number, n: number) => HttpRequest

const lastChunk = Buffer.from('0\r\n\r\n')

const messageOf = (host: string, { method = 'GET', path, headers = {}, body = '' }: HttpRequest) => {
  const lines = { host, ...headers, ...(body !== '' && { 'content-length': Buffer.byteLength(body) }) }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`
}

/** Parses the response to a request; `take` returns whether the bytes so far complete it. */
class AnswerReader {
  #head = ''
  #received = 0
  #length: number | undefined
  status = ''

  take(data: Buffer): boolean {
    this.#received += data.length
    if (this.status === '') {
      this.#head += data.toString('latin1')
      const end = this.#head.indexOf('\r\n\r\n')
      if (end === -1) {
        return false
      }
      const head = this.#head.slice(0, end).toLowerCase()
      this.status = head.slice(9, 12)
      const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1]
      this.#length = head.includes('transfer-encoding: chunked') ? undefined : end + 4 + Number(length ?? 0)
    }
    // Our JSON contains no line breaks, so these bytes can only end the last chunk.
    return this.#length === undefined
      ? data.subarray(-lastChunk.length).equals(lastChunk)
      : this.#received >= this.#length
  }
}

/** Sends the requests of one connection, each as soon as the previous response is complete, and returns their times. */
function requestsOf(url: string, request: (n: number) => HttpRequest, deadline: number): Promise<number[]> {
  const { hostname, port, host } = new URL(url)
  const times: number[] = []
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let answer = new AnswerReader()
    let started = 0
    const send = () => {
      const message = messageOf(host, request(times.length))
      answer = new AnswerReader()
      started = performance.now()
      socket.write(message)
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (data) => {
      if (!answer.take(data)) {
        return
      }
      if (!answer.status.startsWith('2')) {
        socket.destroy(new Error(`${request(times.length).path} answered ${answer.status}`))
        return
      }
      times.push(performance.now() - started)
      if (performance.now() < deadline) {
        send()
      } else {
        socket.destroy()
        resolve(times)
      }
    })
  })
}

export interface Load {
  connections: number
  seconds: number
}

/**
 * Rate, times and the server's CPU time of requests over keep-alive connections. Uses plain sockets, because an HTTP
 * client would cost more than the measured server.
 */
export async function loadHttp(
  server: ServerProcess,
  request: RequestOf,
  { connections, seconds: forSeconds }: Load,
): Promise<Figures> {
  const deadline = performance.now() + forSeconds * 1000
  const { seconds, cpu, result } = await costOf({ server }, () =>
    Promise.all(
      Array.from({ length: connections }, (_, index) => requestsOf(server.url, (n) => request(index, n), deadline)),
    ),
  )
  const times = result.flat()
  return {
    requestsPerSecond: times.length / seconds,
    cpuMsPerRequest: (cpu.server * 1000) / times.length,
    ...percentiles(times),
  }
}

/** Compares requests with those of a bare server. */
export async function measureHttp(
  round: Round,
  server: ServerProcess,
  { work, request, load }: { work: string; request: RequestOf; load: Load },
  { kind, args, request: bareRequest = request }: { kind: string; args: string[]; request?: RequestOf },
): Promise<void> {
  await withBare(kind, args, (bare) => {
    const sides = [
      { at: server, of: request },
      { at: bare, of: bareRequest },
    ] as const
    return round.measure(work, sides, ({ at, of }) => loadHttp(at, of, load))
  })
}
