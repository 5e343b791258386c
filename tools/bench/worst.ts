import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { hourMs } from '../../shared/durations.ts'
import { api } from '../../shared/api/index.ts'
import type { RouteDefinition } from '../../shared/contract/route.ts'
import { DeviceHistory, hoursPerStep, stepsKept } from '../../server/history/device-history.ts'
import { signIn, type Account } from '../simulate/fleet.ts'
import type { ServerProcess } from '../simulate/server-process.ts'
import { hostileBodies } from './hostile-bodies.ts'
import { sleep, type Round } from './measure.ts'
import { store, storeDevices, withStored } from './stored.ts'
import type { LongestTurn } from './turn-probe.ts'

const devices = 10_000
/** Measurements per request. The first is cold, which counts too. */
const repetitions = 3
/** Limit of every request, in milliseconds. */
const limitMs = 50
/** Time for work that a request leaves for afterwards. */
const settleMs = 20

const settings = {
  // Gives each request its own client address, so that no attempt limit hides a route's cost.
  Service_AppOptions__KnownProxies__0: '127.0.0.1',
}

/** Stores devices with 90 days of history. */
async function fill(directory: string, { tenantId }: Account) {
  const ids = Array.from({ length: devices }, () => randomUUID())
  const stored = ids.map((id, index) => ({ id, publicKey: null, index }))
  await storeDevices(directory, tenantId, stored)
  const hour = Math.floor(Date.now() / hourMs) - 1
  const history = new DeviceHistory()
  const disks = new Map([
    ['/', 0.6],
    ['/home', 0.7],
  ])
  for (let each = hour - stepsKept * hoursPerStep; each <= hour; each++) {
    history.setHour(each, { online: 1, cpu: 0.2, memory: 0.5, disks })
  }
  const samples = Buffer.from(history.samples).toString('base64')
  const rows = ids.map((deviceId) => ({ deviceId, hour, disks: JSON.stringify(history.disks), samples }))
  await store(directory, (models, options) => models.StoredHistory.bulkCreate(rows, options))
  return { tenantId, ids }
}

const everything = { pageSize: 1_000_000 }
const sortedBy = (...names: string[]) =>
  names.map((propertyName, sortOrder) => ({ propertyName, descending: sortOrder % 2 === 0, sortOrder }))
const columns = 'IsOnline AgentVersion OsDescription UsedStoragePercent UsedMemoryPercent CpuUtilization LastSeen Name'

/** Bodies of the search, by the reason why they are hard. */
const searches: Record<string, object> = {
  'everything on one page': everything,
  'eight sort orders, everything on one page': { ...everything, sortDefinitions: sortedBy(...columns.split(' ')) },
  'a page in the middle by load': { page: 5, pageSize: 900, sortDefinitions: sortedBy('CpuUtilization') },
  'one letter': { ...everything, searchText: 'e' },
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

interface HardRequest {
  method: string
  path: string
  /** Reason why the request is hard. */
  reason: string
  body?: string
}

/** Hard bodies of every route with a body, and every list. */
function requestsOf(definition: RouteDefinition, tenantId: string, ids: readonly string[]): HardRequest[] {
  const { method, path: pattern, body, bodyType = 'json' } = definition
  const values: Record<string, string> = { deviceId: ids[0]!, tenantId, runtime: 'linux-x64', targetProcessId: '1' }
  const query = new URLSearchParams({ tenantId, range: 'quarter', searchText: 'e', pageSize: '200' })
  const path = `${pattern.replace(/:(\w+)/g, (_, name: string) => values[name] ?? randomUUID())}?${query.toString()}`
  if (!body) {
    return method === 'GET' ? [{ method, path, reason: 'as it is' }] : []
  }
  const ofSearch = pattern === '/api/v1/devices/search' ? searches : {}
  const bodies = [
    ...Object.entries(ofSearch).map(([reason, value]) => [reason, JSON.stringify(value)] as const),
    ...hostileBodies(body, ids),
  ]
  return bodyType === 'json' ? bodies.map(([reason, text]) => ({ method, path, reason, body: text })) : []
}

const routes = Object.values(api)
  .flatMap((surface) => Object.values(surface))
  .flatMap((group) => Object.values(group.routes) as RouteDefinition[])
  // Would end the session of the benchmark.
  .filter(({ path }) => !/\/(logout|session)$/.test(path))
  // Requests that delete devices come last.
  .toSorted((a, b) => Number(a.path.includes('delete')) - Number(b.path.includes('delete')))

let addresses = 0

async function send(url: string, { method, path, body }: HardRequest, cookie: string): Promise<number> {
  addresses++
  const forwarded = `10.0.${addresses >> 8}.${addresses & 255}`
  const headers = { cookie, origin: url, 'content-type': 'application/json', 'x-forwarded-for': forwarded }
  const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
  await response.arrayBuffer()
  return response.status
}

/** The longest blocks of the main thread during a request, and its last answer. */
interface Longest {
  worstCpuMs: number
  worstWallMs: number
  status: number
}

async function longestOf(server: ServerProcess, request: HardRequest, cookie: string): Promise<Longest> {
  const figures: Longest = { worstCpuMs: 0, worstWallMs: 0, status: 0 }
  for (let repetition = 0; repetition < repetitions; repetition++) {
    await server.ask('measure')
    figures.status = await send(server.url, request, cookie)
    await sleep(settleMs)
    const { cpuMs, wallMs } = await server.ask<LongestTurn>('stop')
    figures.worstCpuMs = Math.max(figures.worstCpuMs, cpuMs)
    figures.worstWallMs = Math.max(figures.worstWallMs, wallMs)
  }
  return figures
}

const byWorst = (a: { figures: Longest }, b: { figures: Longest }) => b.figures.worstCpuMs - a.figures.worstCpuMs

/** Records what is over the limit, and the worst of each route. */
export async function worst(round: Round): Promise<void> {
  const nodeArguments = ['--import', join(import.meta.dirname, 'turn-probe.ts')]
  const worstOf: { work: string; figures: Longest }[] = []
  await withStored({ settings, nodeArguments }, fill, async (server, { tenantId, ids }) => {
    const { cookie } = await signIn(server.url)
    for (const definition of routes.filter(({ method, path }) => round.wants(`${method} ${path}`))) {
      const measured: typeof worstOf = []
      for (const request of requestsOf(definition, tenantId, ids)) {
        const figures = await longestOf(server, request, cookie)
        const work = `${definition.method} ${definition.path}: ${request.reason}`
        if (figures.worstCpuMs > limitMs) {
          round.record(`over ${limitMs} ms: ${work}`, { ...figures })
        }
        measured.push({ work, figures })
      }
      worstOf.push(...measured.toSorted(byWorst).slice(0, 1))
    }
  })
  for (const { work, figures } of worstOf.toSorted(byWorst)) {
    round.record(work, { ...figures })
  }
}
