import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProcess } from './server-process.ts'

const megabytesPerSecond = '50'
const pauseMs = 20
const timeoutMs = 20_000

/** Starts anonymous peers at 127.0.0.1 in a process of their own, of all kinds or of one. */
export function startFlood(url: string, kind: readonly string[] = []): ChildProcess {
  const args = [join(import.meta.dirname, 'hostile.ts'), url, megabytesPerSecond, ...kind]
  const flood = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  process.once('exit', () => flood.kill())
  return flood
}

/** Answers of `/health`, and the peak of the server's memory meanwhile. */
interface Health {
  /** Milliseconds of each answer. */
  times: number[]
  failures: number
  peakMb: number
}

/** Asks for `/health` on a new connection of an honest client. */
async function isHealthy({ url }: ServerProcess): Promise<boolean> {
  const options = { agent: false, localAddress: '127.0.0.2', signal: AbortSignal.timeout(timeoutMs) }
  const [answer] = (await once(get(`${url}/health`, options), 'response')) as [IncomingMessage]
  return (await text(answer)) === 'Healthy'
}

export async function watchHealth(server: ServerProcess, goesOn: () => boolean): Promise<Health> {
  const health: Health = { times: [], failures: 0, peakMb: 0 }
  while (goesOn()) {
    const start = performance.now()
    health.failures += (await isHealthy(server).catch(() => false)) ? 0 : 1
    health.times.push(performance.now() - start)
    health.peakMb = Math.max(health.peakMb, await server.memoryMb())
    await sleep(pauseMs)
  }
  return health
}
