import { inParallel, registerFleet } from '../simulate/fleet.ts'
import type { SimulatedAgent } from '../simulate/agent.ts'
import { withBare, withServer, type ServerProcess } from '../simulate/server-process.ts'
import { rounded, sleep } from './measure.ts'

const heartbeatMs = 30_000
const pingMs = 15_000
const busyAgents = 100
const busySeconds = 8
/** Time until both programs are compiled. */
const warmUpSeconds = 4

/** Updates a second, when each agent sends its next update as soon as the previous one is stored. */
export async function closedLoop(agents: readonly SimulatedAgent[], seconds: number): Promise<number> {
  const deadline = performance.now() + seconds * 1000
  let answered = 0
  const started = performance.now()
  await inParallel(agents, agents.length, async (agent) => {
    while (performance.now() < deadline) {
      await agent.update()
      answered++
    }
  })
  return answered / ((performance.now() - started) / 1000)
}

/** Connects agents, 20 at a time, by `url`, and measures the server's cost. */
export async function connectAll(agents: readonly SimulatedAgent[], server: ServerProcess, url = server.url) {
  const memoryBefore = await server.memoryMb()
  const cpuBefore = await server.cpuSeconds()
  const started = performance.now()
  let lost = 0
  await inParallel(agents, 20, (agent) => agent.connect(url, () => lost++))
  const seconds = (performance.now() - started) / 1000
  return {
    lost: () => lost,
    figures: {
      connectsPerSecond: Math.round(agents.length / seconds),
      cpuMsPerConnect: rounded((((await server.cpuSeconds()) - cpuBefore) * 1000) / agents.length),
      memoryKbPerAgent: rounded((((await server.memoryMb()) - memoryBefore) * 1024) / agents.length),
    },
  }
}

/** Heartbeats of all agents every 30 s, evenly distributed. */
async function steady(agents: readonly SimulatedAgent[], server: ServerProcess, seconds: number) {
  const cpuBefore = await server.cpuSeconds()
  const failures: string[] = []
  const pings = setInterval(() => agents.forEach((agent) => agent.ping()), pingMs)
  let next = 0
  const beats = setInterval(() => {
    agents[next++ % agents.length]!.update().catch((error: Error) => failures.push(error.message))
  }, heartbeatMs / agents.length)
  await sleep(seconds * 1000)
  clearInterval(beats)
  clearInterval(pings)
  return {
    heartbeats: next,
    failures: failures.length,
    cpuPercentOfOneCore: rounded((((await server.cpuSeconds()) - cpuBefore) / seconds) * 100),
    memoryMb: Math.round(await server.memoryMb()),
  }
}

async function bareHub(agents: readonly SimulatedAgent[]): Promise<number> {
  return await withBare('hub', [], async (bare) => {
    await inParallel(agents, 20, (agent) => agent.connect(bare.url))
    await closedLoop(agents, warmUpSeconds)
    const rate = await closedLoop(agents, busySeconds)
    agents.forEach((agent) => agent.close())
    return rate
  })
}

/** `--agents 1000 --seconds 60` */
export async function heartbeats(options: { agents?: string; seconds?: string }) {
  const count = Number(options.agents ?? 1000)
  const seconds = Number(options.seconds ?? 60)
  return await withServer({}, async (server) => {
    const { agents } = await registerFleet(server.url, count)
    const { lost, figures: connect } = await connectAll(agents, server)
    const steadyFigures = await steady(agents, server, seconds)
    const busy = agents.slice(0, busyAgents)
    await closedLoop(busy, warmUpSeconds)
    const cpuBefore = await server.cpuSeconds()
    const updatesPerSecond = await closedLoop(busy, busySeconds)
    const cpu = (await server.cpuSeconds()) - cpuBefore
    const lostAgents = lost()
    agents.forEach((agent) => agent.close())
    const bareUpdatesPerSecond = await bareHub(busy)
    return {
      agents: count,
      connect,
      steady: { seconds, ...steadyFigures, lostConnections: lostAgents },
      closedLoop: {
        agents: busyAgents,
        updatesPerSecond: Math.round(updatesPerSecond),
        cpuMsPerUpdate: rounded((cpu * 1000) / (updatesPerSecond * busySeconds)),
        bareUpdatesPerSecond: Math.round(bareUpdatesPerSecond),
        ratioToBare: rounded(updatesPerSecond / bareUpdatesPerSecond),
      },
    }
  })
}
