import { connect } from 'node:net'
import { withBare, type ServerProcess } from '../simulate/server-process.ts'

/** The value below which `share` of the sorted samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (samples: readonly number[]) => percentile(samples, 0.5)

/** Rounds to two decimals. */
export const rounded = (value: number) => Math.round(value * 100) / 100

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export interface HttpFigures {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
}

export interface HttpRequest {
  method?: string
  /** Path with query. */
  path: string
  headers?: Record<string, string>
  body?: string
}

interface HttpLoad {
  /** Origin of the server. */
  url: string
  /** Builds the nth request of a connection. */
  request: (connection: number, n: number) => HttpRequest
  connections: number
  seconds: number
}

const messageOf = (host: string, { method = 'GET', path, headers = {}, body = '' }: HttpRequest) => {
  const lines = { host, ...headers, ...(body !== '' && { 'content-length': Buffer.byteLength(body) }) }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`
}

/** Parses the response to a request; `take` returns whether the bytes so far complete it. */
class AnswerReader {
  #head = Buffer.alloc(0)
  #tail = Buffer.alloc(0)
  #received = 0
  #length: number | undefined
  status = ''

  take(data: Buffer): boolean {
    this.#received += data.length
    if (this.status === '') {
      this.#head = Buffer.concat([this.#head, data])
      const end = this.#head.indexOf('\r\n\r\n')
      if (end === -1) {
        return false
      }
      const head = this.#head.toString('latin1', 0, end).toLowerCase()
      this.status = head.slice(9, 12)
      const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1]
      const isChunked = head.includes('transfer-encoding: chunked')
      this.#length = isChunked ? undefined : end + 4 + Number(length ?? 0)
    }
    // Our JSON contains no line breaks, so these bytes can only end the last chunk.
    this.#tail = Buffer.concat([this.#tail, data.subarray(-lastChunk.length)]).subarray(-lastChunk.length)
    return this.#length === undefined ? this.#tail.equals(lastChunk) : this.#received >= this.#length
  }
}

const lastChunk = Buffer.from('0\r\n\r\n')

/**
 * Sends requests over keep-alive connections, each as soon as the previous response is complete. Fails on any status
 * but 2xx. Uses plain sockets, because an HTTP client would cost more than the measured server.
 */
export async function loadHttp({ url, request, connections, seconds }: HttpLoad): Promise<HttpFigures> {
  const { hostname, port, host } = new URL(url)
  const samples: number[] = []
  const deadline = performance.now() + seconds * 1000

  const worker = (connection: number) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      let answer = new AnswerReader()
      let started = 0
      let sent = 0
      const send = () => {
        const message = messageOf(host, request(connection, sent++))
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
          socket.destroy()
          reject(new Error(`${request(connection, sent - 1).path} answered ${answer.status}`))
          return
        }
        samples.push(performance.now() - started)
        if (performance.now() < deadline) {
          send()
        } else {
          socket.destroy()
          resolve()
        }
      })
    })
  const started = performance.now()
  await Promise.all(Array.from({ length: connections }, (_, index) => worker(index)))
  const elapsed = (performance.now() - started) / 1000
  return {
    requestsPerSecond: Math.round(samples.length / elapsed),
    p50Ms: rounded(percentile(samples, 0.5)),
    p99Ms: rounded(percentile(samples, 0.99)),
  }
}

/** How long a case is measured. */
export interface Rounds {
  connections: number
  /** Seconds of each round. */
  seconds: number
  rounds: number
}

const warmUpSeconds = 1

interface RoundFigures extends HttpFigures {
  cpuMsPerRequest: number
}

/** Requests a second and CPU time of a server, in several rounds. */
class Measured {
  readonly #server: ServerProcess
  readonly #request: HttpLoad['request']
  readonly #rounds: Rounds
  readonly #figures: RoundFigures[] = []

  constructor(server: ServerProcess, request: HttpLoad['request'], rounds: Rounds) {
    this.#server = server
    this.#request = request
    this.#rounds = rounds
  }

  #load(seconds: number): Promise<HttpFigures> {
    return loadHttp({
      url: this.#server.url,
      request: this.#request,
      connections: this.#rounds.connections,
      seconds,
    })
  }

  async warmUp(): Promise<void> {
    await this.#load(warmUpSeconds)
  }

  async measure(): Promise<void> {
    const { seconds } = this.#rounds
    const before = await this.#server.cpuSeconds()
    const figures = await this.#load(seconds)
    const cpuMs = ((await this.#server.cpuSeconds()) - before) * 1000
    this.#figures.push({ ...figures, cpuMsPerRequest: cpuMs / (figures.requestsPerSecond * seconds) })
  }

  /** Median of the rounds. */
  get result() {
    const of = (name: keyof RoundFigures) => median(this.#figures.map((figures) => figures[name]))
    return {
      requestsPerSecond: of('requestsPerSecond'),
      p50Ms: of('p50Ms'),
      p99Ms: of('p99Ms'),
      cpuMsPerRequest: Math.round(of('cpuMsPerRequest') * 1000) / 1000,
    }
  }
}

/** Rate, latency and CPU time of a server alone. */
export async function measureHttp(server: ServerProcess, request: HttpLoad['request'], rounds: Rounds) {
  const measured = new Measured(server, request, rounds)
  await measured.warmUp()
  for (let round = 0; round < rounds.rounds; round++) {
    await measured.measure()
  }
  return measured.result
}

/**
 * Compares a server with a bare server alternately, so that other programs of the machine slow down both. Ratios above 1
 * are better than the bare server.
 */
export async function compareWithBare(
  server: ServerProcess,
  request: HttpLoad['request'],
  bareServer: { kind: string; args: string[]; request?: HttpLoad['request'] },
  rounds: Rounds,
) {
  return await withBare(bareServer.kind, bareServer.args, async (bareProcess) => {
    const both = [
      new Measured(server, request, rounds),
      new Measured(bareProcess, bareServer.request ?? request, rounds),
    ] as const
    for (const one of both) {
      await one.warmUp()
    }
    for (let round = 0; round < rounds.rounds; round++) {
      for (const one of both) {
        await one.measure()
      }
    }
    const [product, bare] = both.map(({ result }) => result) as [Measured['result'], Measured['result']]
    return {
      product,
      bare,
      ratioToBare: rounded(product.requestsPerSecond / bare.requestsPerSecond),
      ratioOfCpu: rounded(bare.cpuMsPerRequest / product.cpuMsPerRequest),
    }
  })
}
