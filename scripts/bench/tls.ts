import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SimulatedAgent } from '../simulate/agent.ts'
import { registerFleet } from '../simulate/fleet.ts'
import { startProcess, startServer, type ServerProcess } from '../simulate/server-process.ts'
import { closedLoop, connectAll } from './heartbeats.ts'
import { rounded, sleep } from './measure.ts'

const busyAgents = 100
const busySeconds = 8
/** What is measured is compiled by then. */
const warmUpSeconds = 4
/** The server has noticed that they left. */
const settleMs = 1_500
/** Agents that find nobody come back so much later, each at another time. */
const retryMs = { least: 200, most: 1_000 }

/** Loads what collects garbage when it is asked to: else memory would be that of what was done before. */
const collecting = ['--expose-gc', '--import', join(import.meta.dirname, '../soak/probe.ts')]

async function heldMb(server: ServerProcess): Promise<number> {
  await server.ask('collect')
  return await server.memoryMb()
}

/** Connects all of them; memory is what the process holds for each, by its resident size. */
async function connected(agents: readonly SimulatedAgent[], server: ServerProcess, url: string) {
  const before = await heldMb(server)
  const { figures } = await connectAll(agents, server, url)
  const memoryKbPerAgent = rounded((((await heldMb(server)) - before) * 1024) / agents.length)
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

/** New connections, connections that are taken up again, memory and updates, by one address. */
async function load(agents: readonly SimulatedAgent[], server: ServerProcess, url: string) {
  // What the first ones leave behind in the process is not theirs: it is compiled code and grown pools.
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

/** Time until all of them are back, from when the old server has gone. */
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
  const bare = await startProcess('scripts/bench/bare.ts', [kind], {}, collecting)
  try {
    return await load(agents, bare, bare.url)
  } finally {
    await bare.stop()
  }
}

/** `--agents 1000`: agents over TLS beside plain ones, and beside bare hubs of both kinds, in one run. */
export async function tls(options: { agents?: string }) {
  const count = Number(options.agents ?? 1000)
  const directory = await mkdtemp(join(tmpdir(), 'farhand-bench-'))
  try {
    let server = await startServer(directory, { Service_Urls: 'http://127.0.0.1:0;https://127.0.0.1:0' }, collecting)
    const [plainUrl = '', secureUrl = ''] = server.urls
    const again = () => startServer(directory, { Service_Urls: `${plainUrl};${secureUrl}` }, collecting)
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
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
