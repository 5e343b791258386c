import { Agent, request } from 'node:http'

/** The value below which `share` of the sorted samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (samples: readonly number[]) => percentile(samples, 0.5)

/** Two significant digits after the point at most: more would only pretend. */
export const rounded = (value: number) => Math.round(value * 100) / 100

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export interface HttpFigures {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
}

interface HttpLoad {
  url: string
  method?: string
  headers?: Record<string, string>
  body?: string
  connections: number
  seconds: number
}

/** Sends requests over kept connections, each as soon as the last was answered. Any answer but 2xx is an error. */
export async function loadHttp({
  url,
  method = 'GET',
  headers,
  body,
  connections,
  seconds,
}: HttpLoad): Promise<HttpFigures> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const samples: number[] = []
  const once = () =>
    new Promise<void>((resolve, reject) => {
      const started = performance.now()
      const sent = request(url, { agent, method, ...(headers && { headers }) }, (response) => {
        response.on('data', () => {})
        response.on('end', () => {
          samples.push(performance.now() - started)
          if (response.statusCode! >= 300) {
            reject(new Error(`${url} answered ${response.statusCode}`))
          } else {
            resolve()
          }
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  const deadline = performance.now() + seconds * 1000
  const worker = async () => {
    while (performance.now() < deadline) {
      await once()
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: connections }, worker))
  const elapsed = (performance.now() - started) / 1000
  agent.destroy()
  return {
    requestsPerSecond: Math.round(samples.length / elapsed),
    p50Ms: rounded(percentile(samples, 0.5)),
    p99Ms: rounded(percentile(samples, 0.99)),
  }
}
