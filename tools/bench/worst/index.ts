import { join } from 'node:path'
import { openAccount, signIn } from '../../simulate/fleet.ts'
import { startServer, type ServerProcess } from '../../simulate/server-process.ts'
import { temporaryFolder } from '../../simulate/temporary-folder.ts'
import { median, rounded, sleep } from '../measure.ts'
import { fillFleet, type Fleet } from './fleet.ts'
import { openCall, worstCalls } from './hub-calls.ts'
import { worstRequests, type WorstRequest } from './requests.ts'
import type { LongestTurn } from './turn-probe.ts'

/** Measurements per request. The first is cold, which counts too. */
const rounds = 3

/** Limit of every request. */
const limitMs = 50

const settings = {
  // Gives each request its own client address, so that no attempt limit hides a route's cost.
  Service_AppOptions__KnownProxies__0: '127.0.0.1',
}

interface Figures {
  route: string
  name: string
  answer: string
  /** Longest block of the main thread: median of the rounds, and CPU time of the worst block. */
  heldMs: number
  worstCpuMs: number
}

async function measured(
  server: ServerProcess,
  { route, name }: { route: string; name: string },
  prepare: (round: number) => Promise<() => Promise<string>>,
): Promise<Figures> {
  const turns: LongestTurn[] = []
  let answer = ''
  for (let round = 0; round < rounds; round++) {
    const run = await prepare(round)
    await server.ask('measure')
    answer = await run()
    // Includes work that a request leaves for afterwards.
    await sleep(20)
    turns.push(await server.ask<LongestTurn>('stop'))
  }
  const heldMs = rounded(median(turns.map(({ wallMs }) => wallMs)))
  const worstCpuMs = rounded(Math.max(...turns.map(({ cpuMs }) => cpuMs)))
  return { route, name, answer, heldMs, worstCpuMs }
}

let addresses = 0

async function send(url: string, { method, path, headers = {}, body = '' }: WorstRequest, cookie: string) {
  addresses++
  const response = await fetch(url + path, {
    method: method ?? 'GET',
    headers: { ...headers, cookie, origin: url, 'x-forwarded-for': `10.0.${addresses >> 8}.${addresses & 255}` },
    ...(body !== '' && { body }),
  })
  await response.arrayBuffer()
  return String(response.status)
}

async function measureAll(server: ServerProcess, fleet: Fleet, only: string): Promise<Figures[]> {
  const { cookie } = await signIn(server.url)
  const figures: Figures[] = []
  for (const request of worstRequests(fleet).filter(({ route }) => route.includes(only))) {
    process.stderr.write(`${request.route}: ${request.name}\n`)
    figures.push(await measured(server, request, async () => () => send(server.url, request, cookie)))
  }
  for (const call of worstCalls(fleet).filter(({ target }) => target.includes(only))) {
    const subject = { route: `${call.hub} hub: ${call.target}`, name: `${call.protocol}: ${call.name}` }
    figures.push(
      await measured(server, subject, async () => {
        const connection = await openCall(server.url, call, cookie)
        return () => connection.send().finally(() => connection.close())
      }),
    )
  }
  return figures
}

/** All figures over the limit, and the worst figure per route. */
function summary(figures: Figures[]) {
  const worstOf = Map.groupBy(figures, ({ route }) => route)
  const routes = [...worstOf.values()]
    .map((cases) => cases.toSorted((a, b) => b.worstCpuMs - a.worstCpuMs)[0]!)
    .toSorted((a, b) => b.worstCpuMs - a.worstCpuMs)
  return { limitMs, over: figures.filter(({ worstCpuMs }) => worstCpuMs > limitMs), routes }
}

/**
 * Measures how long the worst permitted request of every route, and the worst call of every hub, block the main thread
 * of a built server with ten thousand devices; `--only customers` selects some.
 */
export async function worst({ only = '' }: { only?: string }) {
  await using folder = await temporaryFolder()
  const first = await startServer(folder.path)
  const account = await openAccount(first.url)
  await first.stop()
  const fleet = await fillFleet(folder.path, account)
  const probe = ['--import', join(import.meta.dirname, 'turn-probe.ts')]
  const server = await startServer(folder.path, settings, probe)
  try {
    return summary(await measureAll(server, fleet, only))
  } finally {
    await server.stop()
  }
}
