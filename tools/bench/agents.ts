import { inParallel } from '../../shared/in-parallel.ts'
import type { SimulatedAgent } from '../simulate/agent.ts'
import { registerFleet } from '../simulate/fleet.ts'
import { startServer, withBare, withServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { sleep, type Figures, type Round } from './measure.ts'

const heartbeatMs = 30_000
const pingMs = 15_000
const busyAgents = 100
/** Time until the server has noticed closed connections. */
const settleMs = 1_500
/** Randomized reconnect delay of agents. */
const retryMs = { least: 200, most: 1_000 }

/** Runs `work`, and returns its seconds with the server's processor time in milliseconds. */
async function timed(server: ServerProcess, work: () => Promise<unknown>) {
  const cpuBefore = await server.cpuSeconds()
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1000
  return { seconds, cpuMs: ((await server.cpuSeconds()) - cpuBefore) * 1000 }
}

/** Connects agents, 20 at a time, by `url`, and measures the server's cost. */
export async function connectAll(
  agents: readonly SimulatedAgent[],
  server: ServerProcess,
  url = server.url,
  onClose?: () => void,
): Promise<Figures> {
  const { seconds, cpuMs } = await timed(server, () => inParallel(agents, 20, (agent) => agent.connect(url, onClose)))
  return { connectsPerSecond: agents.length / seconds, cpuMsPerConnect: cpuMs / agents.length }
}

/** Updates, when each agent sends its next update as soon as the previous one is stored. */
export async function updates(
  agents: readonly SimulatedAgent[],
  server: ServerProcess,
  forSeconds: number,
): Promise<Figures> {
  const deadline = performance.now() + forSeconds * 1000
  let answered = 0
  const { seconds, cpuMs } = await timed(server, () =>
    inParallel(agents, agents.length, async (agent) => {
      while (performance.now() < deadline) {
        await agent.update()
        answered++
      }
    }),
  )
  return { updatesPerSecond: answered / seconds, cpuMsPerUpdate: cpuMs / answered }
}

const closeAll = async (agents: readonly SimulatedAgent[]) => {
  agents.forEach((agent) => agent.close())
  await sleep(settleMs)
}

/** Heartbeats of all agents every 30 s, evenly distributed. */
async function steady(agents: readonly SimulatedAgent[], server: ServerProcess, forSeconds: number): Promise<Figures> {
  let [next, failures] = [0, 0]
  const pings = setInterval(() => agents.forEach((agent) => agent.ping()), pingMs)
  const beats = setInterval(() => {
    agents[next++ % agents.length]!.update().catch(() => failures++)
  }, heartbeatMs / agents.length)
  const { cpuMs } = await timed(server, () => sleep(forSeconds * 1000))
  clearInterval(beats)
  clearInterval(pings)
  return {
    cpuPercentOfOneCore: cpuMs / (forSeconds * 10),
    memoryMb: await server.memoryMb(),
    heartbeats: next,
    failures,
  }
}

/** A server, and the address that agents connect to. */
interface Side {
  server: ServerProcess
  url: string
}

/** Compares new connections, and signed updates, with those of a bare hub. */
async function compare(round: Round, over: string, agents: readonly SimulatedAgent[], ours: Side, bare: Side) {
  const busy = agents.slice(0, busyAgents)
  const connects = (isNew: boolean) => (side: Side) => async () => {
    if (isNew) {
      agents.forEach((agent) => agent.forgetSession())
    }
    const figures = await connectAll(agents, side.server, side.url)
    await closeAll(agents)
    return figures
  }
  const updating = (side: Side) => async () => {
    await connectAll(busy, side.server, side.url)
    const figures = await updates(busy, side.server, round.number('seconds', 4))
    await closeAll(busy)
    return figures
  }
  const both = (work: string, measure: (side: Side) => () => Promise<Figures>) =>
    round.measure(work, measure(ours), measure(bare))
  await both(`${over}connects`, connects(true))
  if (over !== '') {
    await both(`${over}connects, resumed`, connects(false))
  }
  await both(over === '' ? 'signed updates' : 'signed updates over TLS', updating)
}

export async function heartbeats(round: Round): Promise<void> {
  const count = round.number('agents', 1000)
  await withServer({}, async (server) => {
    let agents: SimulatedAgent[] = []
    const { seconds, cpuMs } = await timed(server, async () => {
      agents = (await registerFleet(server.url, count)).agents
    })
    round.record('enrollments', { enrollmentsPerSecond: count / seconds, cpuMsPerEnrollment: cpuMs / count })
    let lost = 0
    await connectAll(agents, server, server.url, () => lost++)
    const calm = await steady(agents, server, round.number('seconds', 60))
    round.record('heartbeats every 30 s', { ...calm, lost })
    await closeAll(agents)
    await withBare('hub', [], (bare) =>
      compare(round, '', agents, { server, url: server.url }, { server: bare, url: bare.url }),
    )
  })
}

/** Time from the end of a server until all its agents have connected to the next one. */
async function restart(agents: readonly SimulatedAgent[], start: () => Promise<ServerProcess>, url: string) {
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
  const serverReadyMs = performance.now() - began
  await back
  return { server, figures: { allBackMs: performance.now() - began, serverReadyMs } }
}

export async function tls(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  const addresses = 'http://127.0.0.1:0;https://127.0.0.1:0'
  const first = await startServer(folder.path, { Service_Urls: addresses })
  const [plainUrl = '', url = ''] = first.urls
  const { agents } = await registerFleet(plainUrl, round.number('agents', 1000))
  await connectAll(agents, first, url)
  await first.stop()
  const again = () => startServer(folder.path, { Service_Urls: `${plainUrl};${url}` })
  const { server, figures } = await restart(agents, again, url)
  round.record('restart until all agents are back', figures)
  await closeAll(agents)
  await withBare('tls-hub', [], (bare) =>
    compare(round, 'TLS ', agents, { server, url }, { server: bare, url: bare.url }),
  )
  await server.stop()
}
