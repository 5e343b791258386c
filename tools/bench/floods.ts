import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { withServer, type ServerProcess } from '../simulate/server-process.ts'
import { percentiles, timeOf, within, type Figures, type Round } from './measure.ts'

const hostile = join(import.meta.dirname, '..', 'soak', 'hostile.ts')
const kinds = ['requests', 'chunks', 'halfMessages', 'halfBodies', 'messages', 'connects', 'all']
const megabytesPerSecond = '50'
const calmSeconds = 3
const pauseMs = 20

/** Asks for `/health` on a new connection of an honest client; floods come from 127.0.0.1. */
async function isHealthy({ url }: ServerProcess): Promise<boolean> {
  const options = { agent: false, localAddress: '127.0.0.2', signal: AbortSignal.timeout(20_000) }
  const [answer] = (await once(get(`${url}/health`, options), 'response')) as [IncomingMessage]
  return (await text(answer)) === 'Healthy'
}

/** Answers of `/health` and the peak of the server's memory during some seconds. */
async function watch(server: ServerProcess, seconds: number): Promise<Figures> {
  const times: number[] = []
  let [failures, peakMb] = [0, 0]
  const goesOn = within(seconds)
  while (goesOn()) {
    let isAnswered = false
    times.push(await timeOf(async () => (isAnswered = await isHealthy(server).catch(() => false))))
    failures += isAnswered ? 0 : 1
    peakMb = Math.max(peakMb, await server.memoryMb())
    await sleep(pauseMs)
  }
  return { ...percentiles(times), peakMb, answers: times.length, failures }
}

/** Floods a fresh server from anonymous peers of one kind, and of all kinds together. */
export async function floods(round: Round): Promise<void> {
  for (const kind of kinds.filter((name) => round.wants(name))) {
    await withServer({}, async (server) => {
      round.record(`before the flood of ${kind}`, await watch(server, calmSeconds))
      const args = [hostile, server.url, megabytesPerSecond, ...(kind === 'all' ? [] : [kind])]
      const flood = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
      round.record(`flood of ${kind}`, await watch(server, round.number('seconds', 15)))
      flood.kill()
    })
  }
}
