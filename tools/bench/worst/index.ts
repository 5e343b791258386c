import { join } from 'node:path'
import { signIn } from '../../simulate/fleet.ts'
import type { ServerProcess } from '../../simulate/server-process.ts'
import { sleep, type Figures, type Round } from '../measure.ts'
import { withStored } from '../stored.ts'
import { fillFleet } from './fleet.ts'
import { openCall, worstCalls } from './hub-calls.ts'
import { worstRequests, type WorstRequest } from './requests.ts'
import type { LongestTurn } from './turn-probe.ts'

/** Measurements per request. The first is cold, which counts too. */
const repetitions = 3

/** Limit of every request, in milliseconds. */
const limitMs = 50

const settings = {
  // Gives each request its own client address, so that no attempt limit hides a route's cost.
  Service_AppOptions__KnownProxies__0: '127.0.0.1',
}

/** The longest blocks of the main thread during a request, and how it was answered. */
async function measured(server: ServerProcess, prepare: () => Promise<() => Promise<string>>) {
  const turns: LongestTurn[] = []
  let answer = ''
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const run = await prepare()
    await server.ask('measure')
    answer = await run()
    // Includes work that a request leaves for afterwards.
    await sleep(20)
    turns.push(await server.ask<LongestTurn>('stop'))
  }
  const worstOf = (name: keyof LongestTurn) => Math.max(...turns.map((turn) => turn[name]))
  return { figures: { worstCpuMs: worstOf('cpuMs'), worstWallMs: worstOf('wallMs') }, answer }
}

const byWorst = (a: { figures: Figures }, b: { figures: Figures }) =>
  b.figures['worstCpuMs']! - a.figures['worstCpuMs']!

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

/** Records what is over the limit, and the worst of each route. */
export async function worst(round: Round): Promise<void> {
  const nodeArguments = ['--import', join(import.meta.dirname, 'turn-probe.ts')]
  const worstOf = new Map<string, { work: string; figures: Figures }>()
  const record = (route: string, name: string, { figures, answer }: Awaited<ReturnType<typeof measured>>) => {
    const work = `${route}: ${name} (${answer})`
    if (figures.worstCpuMs > limitMs) {
      round.record(`over ${limitMs} ms: ${work}`, figures)
    }
    if (figures.worstCpuMs > (worstOf.get(route)?.figures['worstCpuMs'] ?? 0)) {
      worstOf.set(route, { work, figures })
    }
  }
  await withStored({ settings, nodeArguments }, fillFleet, async (server, fleet) => {
    const { cookie } = await signIn(server.url)
    for (const request of worstRequests(fleet).filter(({ route }) => round.wants(route))) {
      record(request.route, request.name, await measured(server, async () => () => send(server.url, request, cookie)))
    }
    for (const call of worstCalls(fleet).filter(({ target }) => round.wants(target))) {
      const figures = await measured(server, async () => {
        const connection = await openCall(server.url, call, cookie)
        return () => connection.send().finally(() => connection.close())
      })
      record(`${call.hub} hub: ${call.target}`, `${call.protocol}: ${call.name}`, figures)
    }
  })
  for (const { work, figures } of [...worstOf.values()].toSorted(byWorst)) {
    round.record(work, figures)
  }
}
