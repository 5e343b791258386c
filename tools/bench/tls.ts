import { join } from 'node:path'
import type { SimulatedAgent } from '../simulate/agent.ts'
import { registerFleet } from '../simulate/fleet.ts'
import { startProcess, startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { closedLoop, connectAll } from './heartbeats.ts'
import { rounded, sleep } from './measure.ts'

const busyAgents = 100
const busySeconds = 8
/** Time until the measured code is compiled. */
const warmUpSeconds = 4
/** Time until the server has noticed closed connections. */
const settleMs = 1_500
/** Randomized reconnect delay of agents. */
const retryMs = { least: 200, most: 1_000 }

/** Loads the probe that collects garbage on request; otherwise memory would include garbage of earlier steps. */
const collecting = ['--expose-gc', '--import', join(import.meta.dirname, '../soak/probe.ts')]

async function heldMb(server: ServerProcess): Promise<number> {
  await server.ask('collect')
  return await server.memoryMb()
}

/**
 * Connects all agents; the figures are those of the second half. The first half fills pools of other threads (C library,
 * SQLite, compiler), which do not grow with further agents.
 */
async function connected(agents: readonly SimulatedAgent[], server: ServerProcess, url: string) {
  const half = Math.floor(agents.length / 2)
  await connectAll(agents.slice(0, half), server, url)
  const before = await heldMb(server)
  const { figures } = await connectAll(agents.slice(half), server, url)
  const memoryKbPerAgent = rounded((((await heldMb(server)) - before) * 1024) / (agents.length - half))
  return { ...figures, memoryKbPerAgent }
}

const closeAll = async (agents: readonly SimulatedAgent[]) => {
  agents.forEach((agent) => agent.close())
  await sleep(settleMs)
}

async function busyUpdates(agents: readonly SimulatedAgent[]): Promise<number> {
  const busy = agents.slice(0, busyAgents)
  await closedLoop(busy, warmUpSeconds)
  return Math.round(await closedLoop(busy, busySeconds))
}

/** Measures new connections, resumed connections, memory and updates by a given address. */
async function load(agents: readonly SimulatedAgent[], server: ServerProcess, url: string) {
  // Warm-up, so that compiled code and grown pools do not count as memory of the connections.
  await connectAll(agents.slice(0, busyAgents), server, url)
  await closeAll(agents)
  agents.forEach((agent) => agent.forgetSession())
  const first = await connected(agents, server, url)
  const updatesPerSecond = await busyUpdates(agents)
  await closeAll(agents)
  const { connectsPerSecond, cpuMsPerConnect } = (await connectAll(agents, server, url)).figures
  await closeAll(agents)
  return { first, again: { connectsPerSecond, cpuMsPerConnect }, updatesPerSecond }
}

/** Time from the old server's end until all agents have reconnected. */
async function restarted(agents: readonly SimulatedAgent[], start: () => Promise<ServerProcess>, url: string) {
  const began = performance.now()
  const starting = start()
  const comeBack = async (agent: SimulatedAgent): Promise<void> => {
    try {
      await agent.connect(url)
    } catch {
      await sleep(retryMs.least + Math.random() * (retryMs.most - retryMs.least))
      await comeBack(agent)
    }
  }
  const back = Promise.all(agents.map(comeBack))
  const server = await starting
  const readyMs = performance.now() - began
  await back
  return { server, figures: { serverReadyMs: Math.round(readyMs), allBackMs: Math.round(performance.now() - began) } }
}

async function bareHub(kind: string, agents: readonly SimulatedAgent[]) {
  const bare = await startProcess('tools/bench/bare.ts', [kind], {}, collecting)
  try {
    return await load(agents, bare, bare.url)
  } finally {
    await bare.stop()
  }
}

/** `--agents 1000`: measures agents over TLS and without, and on bare hubs of both kinds, in a single run. */
export async function tls(options: { agents?: string }) {
  const count = Number(options.agents ?? 1000)
  await using folder = await temporaryFolder()
  let server = await startServer(folder.path, { Service_Urls: 'http://127.0.0.1:0;https://127.0.0.1:0' }, collecting)
  const [plainUrl = '', secureUrl = ''] = server.urls
  const again = () => startServer(folder.path, { Service_Urls: `${plainUrl};${secureUrl}` }, collecting)
  const { agents } = await registerFleet(plainUrl, count)
  await server.stop()
  server = await again()
  const overTls = await load(agents, server, secureUrl)
  await connectAll(agents, server, secureUrl)
  await server.stop()
  const { server: after, figures: restart } = await restarted(agents, again, secureUrl)
  await closeAll(agents)
  await after.stop()
  server = await again()
  const plain = await load(agents, server, plainUrl)
  await server.stop()
  const bareTls = await bareHub('tls-hub', agents)
  const barePlain = await bareHub('hub', agents)
  return {
    agents: count,
    tls: overTls,
    restart,
    plain,
    bareTls,
    barePlain,
    updatesToBareTls: rounded(overTls.updatesPerSecond / bareTls.updatesPerSecond),
  }
}
