import { setTimeout as sleep } from 'node:timers/promises'
import { LightFleet } from '../simulate/light-fleet.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { exchange, loadHttp, type HttpRequest } from './http.ts'
import { Servers } from './joined.ts'
import { costOf, percentiles, timeOf, within, type Figures, type Round } from './measure.ts'
import { storeDevices } from './stored.ts'

const connectsPerSecond = 300
/** Reports of all agents, after which memory is steady. */
const settleMs = 45_000
const pageEveryMs = 50
const lookMs = 20
/** Limit for agents that cannot connect; the figures say how many are missing. */
const longestStormSeconds = 400

interface Scene {
  servers: Servers
  fleet: LightFleet
  search: HttpRequest
}

/** Times of the devices page at the last server, opened again and again while `goesOn`. */
async function pageTimes({ servers, search }: Scene, goesOn: () => boolean): Promise<Figures> {
  const times: number[] = []
  let pageFailures = 0
  while (goesOn()) {
    const took = await timeOf(() => exchange(servers.urls.at(-1)!, search).catch(() => pageFailures++))
    times.push(took)
    await sleep(Math.max(0, pageEveryMs - took))
  }
  return { ...percentiles(times), pageFailures }
}

async function waitFor(isTrue: () => boolean, seconds: number): Promise<void> {
  const goesOn = within(seconds)
  while (!isTrue() && goesOn()) {
    await sleep(lookMs)
  }
}

/** Processor time and memory with reports every 30 s, and a page meanwhile. */
async function steady(scene: Scene, forSeconds: number): Promise<Figures> {
  const { servers, fleet } = scene
  const [storedBefore, lostBefore] = [fleet.stored, fleet.lost]
  let page: Figures = {}
  const { seconds, cpu } = await costOf({ servers }, async () => (page = await pageTimes(scene, within(forSeconds))))
  return {
    cpuPercentOfOneCore: (cpu.servers * 100) / seconds,
    memoryMb: await servers.memoryMb(),
    reportsPerSecond: (fleet.stored - storedBefore) / seconds,
    lost: fleet.lost - lostBefore,
    ...page,
  }
}

/** Stops the first server until all agents are back: at the same one, started again at once, or at the others. */
async function storm(scene: Scene): Promise<Figures> {
  const { servers, fleet } = scene
  const count = fleet.devices.length
  let [stoppedMs, servingMs] = [0, 0]
  let page: Figures = {}
  const allBackMs = await timeOf(async () => {
    stoppedMs = await timeOf(() => servers.stopOne(0))
    if (servers.urls.length === 1) {
      servingMs = await timeOf(() => servers.startOne(0))
    }
    await waitFor(() => fleet.proved < count, longestStormSeconds)
    const isInTime = within(longestStormSeconds)
    page = await pageTimes(scene, () => fleet.proved < count && isInTime())
  })
  return { allBackMs, missing: count - fleet.proved, stoppedMs, servingMs, ...page }
}

/** Tens of thousands of agents on one server, or on several of one database: reports, requests, and a restart. */
export async function cluster(round: Round): Promise<void> {
  const count = round.number('agents', 18_500)
  const { settings, headers: key } = serviceAccount()
  await using servers = await Servers.prepare(round.number('servers', 1), settings)
  using fleet = await LightFleet.create(count, servers.account.tenantId)
  const headers = { ...key, 'content-type': 'application/json' }
  const body = JSON.stringify({ page: 0, pageSize: 50, searchText: 'srv', sortDefinitions: [] })
  const search = { method: 'POST', path: '/api/v1/devices/search', headers, body }
  const scene: Scene = { servers, fleet, search }
  await storeDevices(servers.firstFolder, servers.account.tenantId, fleet.devices)
  await servers.start()
  await sleep(1_000)
  const emptyMb = await servers.memoryMb()
  const { cpu } = await costOf({ servers }, () => {
    fleet.run(servers.urls, connectsPerSecond)
    return waitFor(() => fleet.proved === count, count / connectsPerSecond + longestStormSeconds)
  })
  round.record(`${count} connects`, {
    cpuMsPerConnect: (cpu.servers * 1000) / count,
    missing: count - fleet.proved,
    memoryMb: await servers.memoryMb(),
    memoryBeforeMb: emptyMb,
  })
  await sleep(settleMs)
  const calm = await steady(scene, round.number('seconds', 60))
  const kibPerAgent = ((calm['memoryMb']! - emptyMb) * 1024 * servers.urls.length) / count
  round.record(`${count} agents that report every 30 s`, { ...calm, kibPerAgent })
  const load = (request: HttpRequest) =>
    loadHttp(servers.running.at(-1)!, () => request, { connections: 4, seconds: 4 })
  round.record('list of all devices', await load({ path: '/api/v1/devices', headers }))
  round.record('search by a text', await load(search))
  round.record(servers.urls.length > 1 ? 'death of a server' : 'restart', await storm(scene))
}
