import { randomUUID } from 'node:crypto'
import { tags } from '../../shared/api/tags.ts'
import { createClient } from '../../shared/contract/client.ts'
import { databaseOf } from '../simulate/database.ts'
import { registerFleet, type Account } from '../simulate/fleet.ts'
import { withServer, type ServerProcess } from '../simulate/server-process.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { measureHttp, type RequestOf } from './http.ts'
import type { Round } from './measure.ts'
import { storeDevices, withStored } from './stored.ts'

type Cases = Record<string, RequestOf>

const connections = 32
const devices = 10_000
const listedTags = 20
const { settings, headers: byKey } = serviceAccount()

const get = (path: string) => () => ({ path, headers: byKey })

const send = (method: string, path: string, body: object) => ({
  method,
  path,
  headers: { ...byKey, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

async function readCases(url: string, tenantId: string, deviceIds: readonly string[]): Promise<Cases> {
  const client = createClient(tags, { baseUrl: url, fetch, headers: byKey })
  for (let n = 0; n < listedTags; n++) {
    await client.create({ tenantId, body: { name: `listed-${n}` } })
  }
  const { id: tagId } = await client.create({ tenantId, body: { name: 'bench' } })
  return {
    'GET /api/v1/version/server': () => ({ path: '/api/v1/version/server' }),
    'GET /api/v1/server-stats': get('/api/v1/server-stats'),
    'GET /api/v1/devices/{deviceId}': get(`/api/v1/devices/${deviceIds[0]}`),
    'GET /api/v1/tags': get(`/api/v1/tags?tenantId=${tenantId}`),
    'GET /api/v1/devices/summary': get('/api/v1/devices/summary'),
    'GET /api/v1/devices': get('/api/v1/devices'),
    'POST and DELETE a tag of a device': (connection, n) => {
      const deviceId = deviceIds[connection]!
      return n % 2 === 0
        ? send('POST', `/api/v1/device-tags?tenantId=${tenantId}`, { deviceId, tagId })
        : { method: 'DELETE', path: `/api/v1/device-tags/${deviceId}/${tagId}?tenantId=${tenantId}`, headers: byKey }
    },
  }
}

function searchCases(): Cases {
  const search =
    (bodyOf: (n: number) => object): RequestOf =>
    (connection, n) =>
      send('POST', '/api/v1/devices/search', { page: 0, pageSize: 50, ...bodyOf(n * connections + connection) })
  const sortedBy = (propertyName: string) => [{ propertyName, descending: false, sortOrder: 0 }]
  const sortDefinitions = sortedBy('Name')
  return {
    'search: one text, sorted by name': search(() => ({ searchText: 'srv', sortDefinitions })),
    'search: everything': search(() => ({})),
    'search: a page of 100': search(() => ({ pageSize: 100 })),
    // Defeats search caches: no text repeats, and load changes with every report.
    'search: a new text each time': search((n) => ({ searchText: `srv-${n}`, sortDefinitions })),
    'search: sorted by load': search(() => ({ sortDefinitions: sortedBy('CpuUtilization') })),
  }
}

/** Compares each case with a bare server that answers as many bytes; one after the other, as they share the processors. */
async function compareAll(round: Round, server: ServerProcess, cases: Cases) {
  for (const [work, request] of Object.entries(cases).filter(([name]) => round.wants(name))) {
    const { path, ...init } = request(0, 0)
    const answer = await fetch(server.url + path, init)
    const bytes = (await answer.arrayBuffer()).byteLength
    if (!answer.ok) {
      throw new Error(`${work}: ${answer.status}`)
    }
    const load = { connections, seconds: round.number('seconds', 1.5) }
    await measureHttp(round, server, { work, request, load }, { kind: 'http', args: [String(bytes)] })
  }
}

export async function rest(round: Round): Promise<void> {
  const stored = Array.from({ length: devices }, (_, index) => ({ id: randomUUID(), publicKey: null, index }))
  const fill = async (directory: string, { tenantId }: Account) => {
    await storeDevices(directory, tenantId, stored)
    return tenantId
  }
  await withStored({ settings }, fill, async (server, tenantId) => {
    const ids = stored.map(({ id }) => id)
    await compareAll(round, server, { ...(await readCases(server.url, tenantId, ids)), ...searchCases() })
  })
}

export async function writes(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  const place = await databaseOf(folder.path)
  const bare = {
    kind: 'write',
    args: place ? [String(place.port), place.name] : [folder.path],
    request: () => ({ method: 'POST', path: '/' }),
  }
  await withServer(settings, async (server) => {
    const { tenantId, agents } = await registerFleet(server.url, connections)
    const to = (path: string) => `/api/v1${path}?tenantId=${tenantId}`
    const alias: RequestOf = (connection, n) =>
      send('PATCH', to(`/devices/${agents[connection]!.id}/alias`), { alias: `alias ${connection} ${n}` })
    const named =
      (path: string): RequestOf =>
      () =>
        send('POST', to(path), { name: randomUUID() })
    const cases = [
      ...[1, 8, connections].map((count) => [`alias of a device, ${count} connections`, alias, count] as const),
      ['new tag', named('/tags'), 8] as const,
      ['new customer', named('/customers'), 8] as const,
      ['new device group', named('/device-groups'), 8] as const,
    ]
    for (const [work, request, count] of cases.filter(([name]) => round.wants(name))) {
      const load = { connections: count, seconds: round.number('seconds', 2) }
      await measureHttp(round, server, { work, request, load }, bare)
    }
  })
}
