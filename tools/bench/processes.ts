import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inParallel } from '../../shared/in-parallel.ts'
import { databaseOf } from '../simulate/database.ts'
import { registerFleet } from '../simulate/fleet.ts'
import { startProcess, startServer, withBare, withServer, type ServerProcess } from '../simulate/server-process.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { loadHttp, type RequestOf } from './http.ts'
import { percentile, sleep, type Figures, type Round } from './measure.ts'

/** Time from the start of the process to the first 200. */
async function firstAnswer(starting: () => Promise<ServerProcess>, path: string): Promise<Figures> {
  const started = performance.now()
  const server = await starting()
  const { ok } = await fetch(server.url + path)
  const ms = performance.now() - started
  if (!ok) {
    throw new Error(`${path} was not answered with 200.`)
  }
  await sleep(300)
  const memoryMb = await server.memoryMb()
  await server.stop()
  return { ms, memoryMb }
}

export async function start(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  // The first start makes the tables, not the database.
  await databaseOf(folder.path)
  const ours = () => firstAnswer(() => startServer(folder.path), '/health')
  const bare = () => firstAnswer(() => startProcess('tools/bench/bare.ts', ['http', '2']), '/')
  round.record('very first start', await ours())
  await round.measure('start until the first answer', ours, bare, 7)
}

/** The server closes a connection without any message after 30 s. */
const pingMs = 15_000

export async function memory(round: Round): Promise<void> {
  const { settings, headers } = serviceAccount()
  const waitMs = round.number('seconds', 60) * 1000
  await withBare('http', ['2'], (bare) =>
    withServer(settings, async (server) => {
      const record = async (work: string) =>
        round.record(`memory, ${work}`, { mb: await server.memoryMb() }, { mb: await bare.memoryMb() })
      await sleep(waitMs)
      await record('fresh')
      const { tenantId, agents } = await registerFleet(server.url, round.number('agents', 1000))
      await inParallel(agents, 20, (agent) => agent.connect(server.url))
      const pings = setInterval(() => agents.forEach((agent) => agent.ping()), pingMs)
      await sleep(waitMs)
      await record('connected')
      for (let n = 0; n < 5; n++) {
        await inParallel(agents, 50, (agent) => agent.update())
      }
      const pathOf = (path: string) => `/api/v1${path}?tenantId=${tenantId}`
      const requests: RequestOf[] = [
        () => ({ path: pathOf('/devices'), headers }),
        () => ({ path: pathOf(`/devices/${agents[0]!.id}`), headers }),
        (connection, n) => ({
          method: 'PATCH',
          path: pathOf(`/devices/${agents[connection % agents.length]!.id}/alias`),
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ alias: `alias ${n}` }),
        }),
      ]
      for (const request of requests) {
        await loadHttp(server, request, { connections: 32, seconds: 4 })
      }
      await record('afterLoad')
      await sleep(waitMs)
      await record('aMinuteLater')
      clearInterval(pings)
      agents.forEach((agent) => agent.close())
    }),
  )
}

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
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const asked = performance.now()
    const isAnswered = await isHealthy(server).catch(() => false)
    times.push(performance.now() - asked)
    failures += isAnswered ? 0 : 1
    peakMb = Math.max(peakMb, await server.memoryMb())
    await sleep(20)
  }
  return { p95Ms: percentile(times, 0.95), maxMs: Math.max(...times), peakMb, answers: times.length, failures }
}

/** Floods a fresh server from anonymous peers of one kind, and of all kinds together. */
export async function floods(round: Round): Promise<void> {
  const hostile = join(import.meta.dirname, '..', 'soak', 'hostile.ts')
  const kinds = ['requests', 'chunks', 'halfMessages', 'halfBodies', 'messages', 'connects', 'all']
  for (const kind of kinds.filter((name) => round.wants(name))) {
    await withServer({}, async (server) => {
      round.record(`before the flood of ${kind}`, await watch(server, 3))
      const flood = spawn(process.execPath, [hostile, server.url, '50', ...(kind === 'all' ? [] : [kind])], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      round.record(`flood of ${kind}`, await watch(server, round.number('seconds', 15)))
      flood.kill()
    })
  }
}
