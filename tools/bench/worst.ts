import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hourMs } from '../../shared/durations.ts'
import { api } from '../../shared/api/index.ts'
import type { RouteDefinition } from '../../shared/contract/route.ts'
import { DeviceHistory, hoursPerStep, stepsKept } from '../../server/history/device-history.ts'
import { signIn } from '../simulate/fleet.ts'
import { startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { hostileBodies } from './hostile-bodies.ts'
import type { Round } from './measure.ts'
import { firstAccount, store, storeDevices } from './stored.ts'

const devices = 10_000
/** Measurements per request. The first is cold, which counts too. */
const repetitions = 3
/** Time for work that a request leaves for afterwards. */
const settleMs = 20

const settings = {
  // Gives each request its own client address, so that no attempt limit hides a route's cost.
  Service_AppOptions__KnownProxies__0: '127.0.0.1',
}

/** Stores devices with 90 days of history. */
async function fill(directory: string, tenantId: string): Promise<string[]> {
  const ids = Array.from({ length: devices }, () => randomUUID())
  await storeDevices(
    directory,
    tenantId,
    ids.map((id) => ({ id })),
  )
  const hour = Math.floor(Date.now() / hourMs) - 1
  const history = new DeviceHistory()
  for (let each = hour - stepsKept * hoursPerStep; each <= hour; each++) {
    history.setHour(each, {
      online: 1,
      cpu: 0.2,
      memory: 0.5,
      disks: new Map([
        ['/', 0.6],
        ['/home', 0.7],
      ]),
    })
  }
  const samples = Buffer.from(history.samples).toString('base64')
  const rows = ids.map((deviceId) => ({ deviceId, hour, disks: JSON.stringify(history.disks), samples }))
  await store(directory, (models, options) => models.StoredHistory.bulkCreate(rows, options))
  return ids
}

const columns = 'IsOnline AgentVersion OsDescription UsedStoragePercent UsedMemoryPercent CpuUtilization LastSeen Name'
const sortDefinitions = columns
  .split(' ')
  .map((propertyName, sortOrder) => ({ propertyName, descending: sortOrder % 2 === 0, sortOrder }))

/** Bodies of the search, by the reason why they are hard. */
const searches: Record<string, object> = {
  'eight sort orders, everything on one page': { pageSize: 1_000_000, sortDefinitions },
  'a long text that begins everywhere': { pageSize: 50, searchText: `${'ber'.repeat(99)}x` },
  // All devices pass, so that every filter is evaluated.
  'fifty filters': {
    pageSize: 50,
    filterDefinitions: Array.from({ length: 50 }, (_, index) => ({
      propertyName: ['OsDescription', 'Name', 'Alias', 'ConnectionId'][index % 4],
      operator: 'not contains',
      value: `xxxxx${index}`,
    })),
  },
}

/** Hard bodies of a route, by the reason why they are hard; of a list none. */
function bodiesOf({ method, path, body, bodyType = 'json' }: RouteDefinition, ids: readonly string[]) {
  if (!body) {
    return method === 'GET' ? [['as it is', undefined] as const] : []
  }
  const ofSearch = path === '/api/v1/devices/search' ? Object.entries(searches) : []
  const own = ofSearch.map(([reason, value]) => [reason, JSON.stringify(value)] as const)
  return bodyType === 'json' ? [...own, ...hostileBodies(body, ids)] : []
}

const routes = Object.values(api)
  .flatMap((surface) => Object.values(surface))
  .flatMap((group) => Object.values(group.routes) as RouteDefinition[])
  // Would end the session of the benchmark.
  .filter(({ path }) => !/\/(logout|session)$/.test(path))
  // Requests that delete devices come last.
  .toSorted((a, b) => Number(a.path.includes('delete')) - Number(b.path.includes('delete')))

/** Longest block of the main thread, in milliseconds of CPU time, by a request sent several times. */
async function longestOf(server: ServerProcess, path: string, init: RequestInit): Promise<number> {
  await server.ask('measure')
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const address = randomUUID().slice(0, 4)
    const headers = new Headers(init.headers)
    headers.set('content-type', 'application/json')
    headers.set('x-forwarded-for', `2001:db8:${address}::1`)
    const response = await fetch(server.url + path, { ...init, headers })
    await response.arrayBuffer()
    await sleep(settleMs)
  }
  return server.ask<number>('stop')
}

/** Records the hardest request of each route. */
export async function worst(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  const { tenantId } = await firstAccount(folder.path, settings)
  const ids = await fill(folder.path, tenantId)
  const probe = join(import.meta.dirname, 'turn-probe.ts')
  await using server = await startServer(folder.path, settings, ['--import', probe])
  const { cookie } = await signIn(server.url)
  const query = new URLSearchParams({ tenantId, range: 'quarter', searchText: 'e', pageSize: '200' }).toString()
  const values: Record<string, string> = { deviceId: ids[0]!, tenantId, runtime: 'linux-x64', targetProcessId: '1' }
  for (const definition of routes.filter(({ method, path }) => round.wants(`${method} ${path}`))) {
    const { method, path: pattern } = definition
    const path = `${pattern.replace(/:(\w+)/g, (_, name: string) => values[name] ?? randomUUID())}?${query}`
    const measured: { work: string; longestCpuMs: number }[] = []
    for (const [reason, body = null] of bodiesOf(definition, ids)) {
      const longestCpuMs = await longestOf(server, path, { method, body, headers: { cookie, origin: server.url } })
      measured.push({ work: `${method} ${pattern}: ${reason}`, longestCpuMs })
    }
    for (const { work, longestCpuMs } of measured.toSorted((a, b) => b.longestCpuMs - a.longestCpuMs).slice(0, 1)) {
      round.record(work, { longestCpuMs })
    }
  }
}
