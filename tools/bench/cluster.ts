import { LightFleet } from '../simulate/light-fleet.ts'
import { withBare } from '../simulate/server-process.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { loadHttp, type HttpRequest } from './http.ts'
import { secondsBetween, Servers, sharesBetween } from './joined.ts'
import { percentile, sleep, type Figures, type Round } from './measure.ts'
import { storeDevices } from './stored.ts'

const connectsPerSecond = 300
/** Connects that begin in a second; above the capacity of a server. */
const stormPerSecond = 5_000
/** Reports of all agents, after which memory is steady. */
const settleMs = 45_000
const pageEveryMs = 50
const lookMs = 20
/** Limit for agents that cannot connect; the figures say how many are missing. */
const longestStormMs = 400_000
type Headers = Record<string, string>

const search = (searchText: string): HttpRequest => ({
  method: 'POST',
  path: '/api/v1/devices/search',
  body: JSON.stringify({ page: 0, pageSize: 50, searchText, sortDefinitions: [] }),
})

/** Requests of the list of devices, which most people look at. */
async function openPage(url: string, headers: Headers): Promise<void> {
  const { method = 'GET', path, body } = search('srv')
  const response = await fetch(url + path, { method, headers, body: body ?? null })
  await response.arrayBuffer()
  if (!response.ok) {
    throw new Error(`${path} answered ${response.status}.`)
  }
}

/** Times of a page that is opened again and again until `isOver`. */
async function pageTimes(url: string, headers: Headers, isOver: () => boolean): Promise<Figures> {
  const times: number[] = []
  let pageFailures = 0
  while (!isOver()) {
    const asked = performance.now()
    await openPage(url, headers).catch(() => pageFailures++)
    times.push(performance.now() - asked)
    await sleep(Math.max(0, pageEveryMs - (performance.now() - asked)))
  }
  return {
    pageP50Ms: percentile(times, 0.5),
    pageP95Ms: percentile(times, 0.95),
    pageMaxMs: Math.max(...times),
    pageFailures,
  }
}

async function waitFor(isTrue: () => boolean, limitMs: number): Promise<void> {
  const started = performance.now()
  while (!isTrue() && performance.now() - started < limitMs) {
    await sleep(lookMs)
  }
}

interface Scene {
  servers: Servers
  fleet: LightFleet
  headers: Headers
  /** Connects of a bare server, beside one server alone. */
  bare: Figures | undefined
}

/** Processor time and memory with reports every 30 s, and a page of the last server meanwhile. */
async function steady({ servers, fleet, headers }: Scene, forMs: number): Promise<Figures> {
  const [before, storedBefore, lostBefore, started] = [
    await servers.spent(),
    fleet.stored,
    fleet.lost,
    performance.now(),
  ]
  const page = await pageTimes(servers.urls.at(-1)!, headers, () => performance.now() - started > forMs)
  const seconds = (performance.now() - started) / 1000
  return {
    ...sharesBetween(before, await servers.spent(), seconds),
    memoryMb: await servers.memoryMb(),
    reportsPerSecond: (fleet.stored - storedBefore) / seconds,
    lost: fleet.lost - lostBefore,
    ...page,
  }
}

/**
 * Stops the first server until all agents are back: at the same one, started again at once, or at the others. A page of
 * the last server meanwhile, from its first answer on.
 */
async function storm({ servers, fleet, headers }: Scene): Promise<Figures> {
  const isAlone = servers.urls.length === 1
  const count = fleet.devices.length
  const before = await servers.spent()
  const began = performance.now()
  await servers.stopOne(0)
  const stoppedMs = performance.now() - began
  if (isAlone) {
    await servers.startOne(0)
  }
  const servingMs = performance.now() - began
  await waitFor(() => fleet.proved < count, longestStormMs)
  const isOver = () => fleet.proved === count || performance.now() - began > longestStormMs
  const page = await pageTimes(servers.urls.at(-1)!, headers, isOver)
  const allBackMs = performance.now() - began
  const after = await servers.spent()
  // Processor time of the stopped server is gone with its process.
  const gone = { ...before, servers: before.servers.with(0, 0) }
  return {
    connectsPerSecond: (count * 1000) / (allBackMs - servingMs),
    allBackMs,
    missing: count - fleet.proved,
    stoppedMs,
    ...(isAlone && { servingMs }),
    cpuSeconds: secondsBetween(gone, after),
    ...page,
  }
}

/** Measures the connects of a restart at a bare server: their ratio does not depend on the speed of the machine. */
const bareStorm = (count: number, tenantId: string): Promise<Figures> =>
  withBare('hub', [], async (bare) => {
    const fleet = await LightFleet.create(count, tenantId)
    try {
      const began = performance.now()
      fleet.run([bare.url], stormPerSecond)
      await waitFor(() => fleet.proved === count, longestStormMs)
      return { connectsPerSecond: (fleet.proved * 1000) / (performance.now() - began) }
    } finally {
      fleet.close()
    }
  })

/** Tens of thousands of agents on one server, or on several of one database: reports, requests, and a restart. */
export async function cluster(round: Round): Promise<void> {
  const count = round.number('agents', 18_500)
  const seconds = round.number('seconds', 60)
  const { settings, headers: key } = serviceAccount()
  const headers = { ...key, 'content-type': 'application/json' }
  await using servers = await Servers.prepare(round.number('servers', 1), settings)
  const { tenantId } = servers.account
  const fleet = await LightFleet.create(count, tenantId)
  try {
    await storeDevices(servers.firstFolder, tenantId, fleet.devices)
    const bare = servers.urls.length > 1 ? undefined : await bareStorm(count, tenantId)
    await servers.start()
    await measureAll(round, { servers, fleet, headers, bare }, seconds * 1000)
  } finally {
    fleet.close()
  }
}

async function measureAll(round: Round, scene: Scene, forMs: number): Promise<void> {
  const { servers, fleet, headers } = scene
  const count = fleet.devices.length
  await sleep(1_000)
  const emptyMb = await servers.memoryMb()
  const before = await servers.spent()
  fleet.run(servers.urls, connectsPerSecond)
  await waitFor(() => fleet.proved === count, (count / connectsPerSecond) * 1000 + longestStormMs)
  round.record(`${count} connects`, {
    cpuMsPerConnect: (secondsBetween(before, await servers.spent()) * 1000) / count,
    missing: count - fleet.proved,
    memoryMb: await servers.memoryMb(),
    memoryBeforeMb: emptyMb,
  })
  await sleep(settleMs)
  const calm = await steady(scene, forMs)
  const kibPerAgent = ((calm['memoryMb']! - emptyMb) * 1024 * servers.urls.length) / count
  round.record(`${count} agents that report every 30 s`, { ...calm, kibPerAgent })
  const load = (request: HttpRequest) =>
    loadHttp(servers.running.at(-1)!, () => ({ ...request, headers }), { connections: 4, seconds: 4 })
  round.record('list of all devices', await load({ path: '/api/v1/devices' }))
  round.record('search by a text', await load(search('srv')))
  round.record(servers.urls.length > 1 ? 'death of a server' : 'restart', await storm(scene), scene.bare)
  await sleep(settleMs)
  round.record('after it', await steady(scene, forMs))
}
