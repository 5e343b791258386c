import { SimulatedAgent } from '../simulate/agent.ts'
import { openAccount } from '../simulate/fleet.ts'
import { startServer } from '../simulate/server-process.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { connectAll, updates } from './agents.ts'
import { loadHttp, type HttpRequest } from './http.ts'
import { median, sleep, type Round } from './measure.ts'
import { deviceRow, store } from './stored.ts'

const starts = 3
const settleMs = 1_000
/** Agents that are connected at the same time: a process may open 20,000 files here. */
const maxConnected = 5_000
const busyAgents = 100

const search = (propertyName: string, searchText: string) => ({
  method: 'POST',
  path: '/api/v1/devices/search',
  body: JSON.stringify({
    page: 0,
    pageSize: 50,
    searchText,
    sortDefinitions: [{ propertyName, descending: false, sortOrder: 0 }],
  }),
})

/** Figures of a server with `count` devices. */
async function measured(count: number, seconds: number) {
  await using folder = await temporaryFolder()
  const { settings, headers: key } = serviceAccount()
  const first = await startServer(folder.path, settings)
  const { tenantId } = await openAccount(first.url)
  await first.stop()
  const agents = Array.from({ length: count }, (_, index) => new SimulatedAgent(index, tenantId))
  await store(folder.path, (models, options) => {
    const rows = agents.map(({ id, publicKey }, index) => ({ ...deviceRow(id, index, tenantId), publicKey }))
    return models.Device.bulkCreate(rows, options)
  })
  const startMs: number[] = []
  let server = await startServer(folder.path, settings)
  while (startMs.push(server.readyAfterMs) < starts) {
    await server.stop()
    server = await startServer(folder.path, settings)
  }
  await sleep(settleMs)
  const memoryMb = await server.memoryMb()
  const headers = { ...key, 'content-type': 'application/json' }
  const cpuOf = async (request: HttpRequest) => {
    const load = () => loadHttp(server, () => ({ ...request, headers }), { connections: 4, seconds })
    await load()
    return (await load())['cpuMsPerRequest']!
  }
  const listMs = await cpuOf({ path: '/api/v1/devices' })
  const searchByLoadMs = await cpuOf(search('CpuUtilization', ''))
  const searchByTextMs = await cpuOf(search('Name', 'srv'))
  const connected = agents.slice(0, maxConnected)
  const { cpuMsPerConnect } = await connectAll(connected, server)
  const busy = agents.slice(0, busyAgents)
  await updates(busy, server, seconds)
  const { cpuMsPerUpdate } = await updates(busy, server, seconds)
  const connectedMemoryMb = await server.memoryMb()
  connected.forEach((agent) => agent.close())
  await server.stop()
  return {
    startMs: median(startMs),
    memoryMb,
    connectedMemoryMb,
    connectMs: cpuMsPerConnect!,
    heartbeatMs: cpuMsPerUpdate!,
    listMs,
    searchByLoadMs,
    searchByTextMs,
  }
}

/** How figures grow with the number of devices; the exponent between the two largest fleets, too. */
export async function scale(round: Round): Promise<void> {
  const sizes = round.numbers('devices', [100, 1_000, 5_000, 20_000])
  const results: Awaited<ReturnType<typeof measured>>[] = []
  for (const count of sizes) {
    const figures = await measured(count, round.number('seconds', 2))
    round.record(`${count} devices`, figures)
    results.push(figures)
  }
  const [before, last] = results.slice(-2)
  if (before && last) {
    const times = Math.log(sizes.at(-1)! / sizes.at(-2)!)
    const names = Object.keys(last) as (keyof typeof last)[]
    const exponents = names.map((name) => [name, Math.log(last[name] / before[name]) / times])
    round.record('exponents', Object.fromEntries(exponents) as Record<string, number>)
  }
}
