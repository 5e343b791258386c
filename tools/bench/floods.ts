import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { withServer, type ServerProcess } from '../simulate/server-process.ts'
import { percentile, rounded, sleep } from './measure.ts'

const hostile = join(import.meta.dirname, '..', 'soak', 'hostile.ts')
const floodMbPerSecond = '50'
const warmUpSeconds = 3
const healthMs = 20
/** Address of the honest client; the flood comes from 127.0.0.1. */
const honestAddress = '127.0.0.2'

/** Asks for `/health` on a new connection. */
async function health(server: ServerProcess): Promise<boolean> {
  const options = { agent: false, localAddress: honestAddress, signal: AbortSignal.timeout(20_000) }
  const [answer] = (await once(get(`${server.url}/health`, options), 'response')) as [IncomingMessage]
  return (await text(answer)) === 'Healthy'
}

/** Answers of `/health` and the peak of the server's memory during some seconds. */
async function watch(server: ServerProcess, seconds: number) {
  const times: number[] = []
  let failures = 0
  let peakMb = 0
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const start = performance.now()
    const isAnswered = await health(server).catch(() => false)
    times.push(performance.now() - start)
    failures += isAnswered ? 0 : 1
    peakMb = Math.max(peakMb, await server.memoryMb())
    await sleep(healthMs)
  }
  return {
    answers: times.length,
    failures,
    p95Ms: rounded(percentile(times, 0.95)),
    maxMs: rounded(Math.max(...times)),
    peakMb: Math.round(peakMb),
  }
}

/** Floods a server from anonymous peers of one kind, and of all kinds together. `--seconds` for each. */
export async function floods(options: { seconds?: string; only?: string }) {
  const seconds = Number(options.seconds ?? 15)
  const kinds = options.only?.split('+') ?? [
    'requests',
    'chunks',
    'halfMessages',
    'halfBodies',
    'messages',
    'connects',
    'all',
  ]
  const results = []
  for (const kind of kinds) {
    results.push(
      await withServer({}, async (server) => {
        const before = await watch(server, warmUpSeconds)
        const flood = spawn(
          process.execPath,
          [hostile, server.url, floodMbPerSecond, ...(kind === 'all' ? [] : [kind])],
          {
            stdio: ['ignore', 'ignore', 'inherit'],
          },
        )
        const during = await watch(server, seconds)
        flood.kill()
        return { kind, before, during, growthMb: during.peakMb - before.peakMb }
      }),
    )
  }
  return { floodMbPerSecond, seconds, results }
}
