import { randomUUID } from 'node:crypto'
import { databaseOf } from '../simulate/database.ts'
import { registerFleet } from '../simulate/fleet.ts'
import { startBare, startServer, type ServerProcess } from '../simulate/server-process.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { exchange, loadHttp, type Load, type RequestOf } from './http.ts'
import type { Round } from './measure.ts'
import { firstAccount, storeDevices } from './stored.ts'

const connections = 32
const devices = 10_000
const { settings, headers: byKey } = serviceAccount()

const send = (method: string, path: string, body: object) => ({
  method,
  path,
  headers: { ...byKey, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

interface Side {
  server: ServerProcess
  request: RequestOf
}

/** Compares requests with those of a bare server. */
const measure = (round: Round, work: string, sides: readonly [product: Side, bare: Side], load: Load) =>
  round.measure(work, sides, ({ server, request }) => loadHttp(server, request, load))

function readCases(deviceId: string): Record<string, RequestOf> {
  const search =
    (bodyOf: (n: number) => object): RequestOf =>
    (connection, n) =>
      send('POST', '/api/v1/devices/search', { page: 0, pageSize: 50, ...bodyOf(n * connections + connection) })
  const sortedBy = (propertyName: string) => [{ propertyName, descending: false, sortOrder: 0 }]
  const sortDefinitions = sortedBy('Name')
  return {
    'one device': () => ({ path: `/api/v1/devices/${deviceId}`, headers: byKey }),
    'list of all devices': () => ({ path: '/api/v1/devices', headers: byKey }),
    'search: one text, sorted by name': search(() => ({ searchText: 'srv', sortDefinitions })),
    'search: everything': search(() => ({})),
    // Defeats search caches: no text repeats, and load changes with every report.
    'search: a new text each time': search((n) => ({ searchText: `srv-${n}`, sortDefinitions })),
    'search: sorted by load': search(() => ({ sortDefinitions: sortedBy('CpuUtilization') })),
  }
}

/** Requests with 10,000 devices, beside a bare server that answers as many bytes. */
export async function rest(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  const { tenantId } = await firstAccount(folder.path, settings)
  const stored = Array.from({ length: devices }, () => ({ id: randomUUID() }))
  await storeDevices(folder.path, tenantId, stored)
  await using server = await startServer(folder.path, settings)
  for (const [work, request] of Object.entries(readCases(stored[0]!.id)).filter(([name]) => round.wants(name))) {
    const bytes = await exchange(server.url, request(0, 0))
    await using bare = await startBare('http', String(bytes))
    const load = { connections, seconds: round.number('seconds', 1.5) }
    await measure(
      round,
      work,
      [
        { server, request },
        { server: bare, request },
      ],
      load,
    )
  }
}

export async function writes(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  await using bareFolder = await temporaryFolder()
  const place = await databaseOf(bareFolder.path)
  const args = place ? [String(place.port), place.name] : [bareFolder.path]
  await using server = await startServer(folder.path, settings)
  await using bare = await startBare('write', ...args)
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
    const ofBare = { server: bare, request: () => ({ method: 'POST', path: '/' }) }
    await measure(round, work, [{ server, request }, ofBare], load)
  }
}
