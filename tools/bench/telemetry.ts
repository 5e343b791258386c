import type { SimulatedAgent } from '../simulate/agent.ts'
import { inParallel, registerFleet } from '../simulate/fleet.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { startProcess, withServer, type ServerProcess } from '../simulate/server-process.ts'
import { closedLoop } from './heartbeats.ts'
import { loadHttp, median, rounded } from './measure.ts'

const connections = 32
const agentCount = 100
const warmUpSeconds = 3
const usualSeconds = 1.5
const pairs = 9
const pingMs = 10_000

interface Side {
  server: ServerProcess
  agents: readonly SimulatedAgent[]
  headers: Record<string, string>
}

/** A second's count, and the server's CPU time for one. */
interface Slice {
  perSecond: number
  cpuMs: number
}

/** Runs `work` on a server with these settings and connected agents. */
async function withSide<T>(more: Record<string, string>, work: (side: Side) => Promise<T>): Promise<T> {
  const { settings, headers } = serviceAccount()
  return withServer({ ...settings, ...more }, async (server) => {
    const { agents } = await registerFleet(server.url, agentCount)
    await inParallel(agents, 20, (agent) => agent.connect(server.url))
    // The server closes connections that send nothing.
    const pings = setInterval(() => agents.forEach((agent) => agent.ping()), pingMs)
    try {
      return await work({ server, agents, headers })
    } finally {
      clearInterval(pings)
      agents.forEach((agent) => agent.close())
    }
  })
}

/** Measures one slice of load; `load` returns how many a second were answered. */
async function slice({ server }: Side, seconds: number, load: () => Promise<number>): Promise<Slice> {
  const cpuBefore = await server.cpuSeconds()
  const perSecond = await load()
  const cpuMs = (((await server.cpuSeconds()) - cpuBefore) * 1000) / (perSecond * seconds)
  return { perSecond, cpuMs }
}

const loads = {
  requests: async ({ server, agents, headers }: Side, seconds: number) => {
    const request = () => ({ path: `/api/v1/devices/${agents[0]!.id}`, headers })
    return (await loadHttp({ url: server.url, request, connections, seconds })).requestsPerSecond
  },
  heartbeats: ({ agents }: Side, seconds: number) => closedLoop(agents, seconds),
}

const summary = (slices: readonly Slice[]) => ({
  perSecond: Math.round(median(slices.map(({ perSecond }) => perSecond))),
  cpuMs: Math.round(median(slices.map(({ cpuMs }) => cpuMs)) * 1000) / 1000,
})

/** Loads both servers alternately, so that other load on the machine hits both alike. */
async function compare(off: Side, on: Side, kind: keyof typeof loads, seconds: number) {
  const measured = (side: Side) => slice(side, seconds, () => loads[kind](side, seconds))
  const warmUps = [await loads[kind](off, warmUpSeconds), await loads[kind](on, warmUpSeconds)]
  const slices: { off: Slice; on: Slice }[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const first = await measured(pair % 2 === 0 ? off : on)
    const second = await measured(pair % 2 === 0 ? on : off)
    slices.push(pair % 2 === 0 ? { off: first, on: second } : { off: second, on: first })
  }
  const ratios = slices.map((each) => each.on.perSecond / each.off.perSecond)
  return {
    off: summary(slices.map((each) => each.off)),
    on: summary(slices.map((each) => each.on)),
    ratio: rounded(median(ratios)),
    ratios: ratios.map(rounded),
    /** Requests or heartbeats that the second server answered, with those of the warm-up. */
    answered: warmUps.at(-1)! * warmUpSeconds + slices.reduce((sum, { on }) => sum + on.perSecond * seconds, 0),
  }
}

/** Server without telemetry beside one that exports all of it to a collector in a process of its own. */
export async function telemetry(options: { seconds?: string }) {
  const seconds = Number(options.seconds ?? usualSeconds)
  const collector = await startProcess('tools/bench/collector.ts')
  try {
    return await withSide({}, (off) =>
      withSide({ Service_OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, async (on) => {
        const { answered, ...requests } = await compare(off, on, 'requests', seconds)
        const spansPerRequest = rounded((await collector.ask<number>('spans')) / answered)
        const { answered: _, ...heartbeats } = await compare(off, on, 'heartbeats', seconds)
        return {
          requests: { ...requests, spansPerRequest },
          heartbeats,
          memoryMb: { off: Math.round(await off.server.memoryMb()), on: Math.round(await on.server.memoryMb()) },
        }
      }),
    )
  } finally {
    await collector.stop()
  }
}
