import { LightFleet } from '../simulate/light-fleet.ts'
import { openAccount } from '../simulate/fleet.ts'
import { startServer, type ServerProcess } from '../simulate/server-process.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { loadHttp, type HttpRequest } from './http.ts'
import { percentile, sleep, type Figures, type Round } from './measure.ts'
import { deviceRow, store } from './stored.ts'

const connectsPerSecond = 300
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

/** Processor time and memory with reports every 30 s, and a page meanwhile. */
async function steady(server: ServerProcess, fleet: LightFleet, headers: Headers, forMs: number): Promise<Figures> {
  const [cpuBefore, storedBefore, started] = [await server.cpuSeconds(), fleet.stored, performance.now()]
  const page = await pageTimes(server.url, headers, () => performance.now() - started > forMs)
  const seconds = (performance.now() - started) / 1000
  return {
    cpuPercentOfOneCore: (((await server.cpuSeconds()) - cpuBefore) * 100) / seconds,
    memoryMb: await server.memoryMb(),
    reportsPerSecond: (fleet.stored - storedBefore) / seconds,
    lost: fleet.lost,
    ...page,
  }
}

/** Restarts the server: until all agents are back, and a page from the first answer on. */
async function storm(server: ServerProcess, fleet: LightFleet, headers: Headers, start: () => Promise<ServerProcess>) {
  const began = performance.now()
  await server.stop()
  const stoppedMs = performance.now() - began
  const next = await start()
  const servingMs = performance.now() - began
  await waitFor(() => fleet.proved < fleet.devices.length, longestStormMs)
  const isOver = () => fleet.proved === fleet.devices.length || performance.now() - began > longestStormMs
  const page = await pageTimes(next.url, headers, isOver)
  const allBackMs = performance.now() - began
  return {
    server: next,
    figures: {
      allBackMs,
      missing: fleet.devices.length - fleet.proved,
      stoppedMs,
      servingMs,
      cpuSeconds: await next.cpuSeconds(),
      ...page,
    },
  }
}

/** Tens of thousands of agents on one server: reports, requests, and a restart. */
export async function cluster(round: Round): Promise<void> {
  const count = round.number('agents', 19_000)
  const seconds = round.number('seconds', 60)
  await using folder = await temporaryFolder()
  const { settings, headers: key } = serviceAccount()
  const headers = { ...key, 'content-type': 'application/json' }
  const first = await startServer(folder.path, settings)
  const { tenantId } = await openAccount(first.url)
  await first.stop()
  const fleet = await LightFleet.create(count, tenantId)
  try {
    await store(folder.path, (models, options) =>
      models.Device.bulkCreate(
        fleet.devices.map(({ id, publicKey, index }) => ({ ...deviceRow(id, index, tenantId), publicKey })),
        options,
      ),
    )
    let server = await startServer(folder.path, settings)
    const start = () => startServer(folder.path, { ...settings, Service_Urls: server.url })
    try {
      await sleep(1_000)
      const emptyMb = await server.memoryMb()
      const cpuBefore = await server.cpuSeconds()
      fleet.run([server.url], connectsPerSecond)
      await waitFor(() => fleet.proved === count, (count / connectsPerSecond) * 1000 + longestStormMs)
      round.record(`${count} connects`, {
        cpuMsPerConnect: (((await server.cpuSeconds()) - cpuBefore) * 1000) / count,
        missing: count - fleet.proved,
        memoryMb: await server.memoryMb(),
        memoryBeforeMb: emptyMb,
      })
      await sleep(settleMs)
      const calm = await steady(server, fleet, headers, seconds * 1000)
      const kibPerAgent = ((calm['memoryMb']! - emptyMb) * 1024) / count
      round.record(`${count} agents that report every 30 s`, { ...calm, kibPerAgent })
      const load = (request: HttpRequest) =>
        loadHttp(server, () => ({ ...request, headers }), { connections: 4, seconds: 4 })
      round.record('list of all devices', await load({ path: '/api/v1/devices' }))
      round.record('search by a text', await load(search('srv')))
      const { server: next, figures } = await storm(server, fleet, headers, start)
      server = next
      round.record('restart', figures)
      await sleep(settleMs)
      round.record('after the restart', await steady(server, fleet, headers, seconds * 1000))
    } finally {
      await server.stop()
    }
  } finally {
    fleet.close()
  }
}
