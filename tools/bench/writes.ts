import { randomUUID } from 'node:crypto'
import { registerFleet, type SimulatedFleet } from '../simulate/fleet.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { withServer } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { compareWithBare, type HttpRequest } from './measure.ts'

const devices = 32

interface Case {
  name: string
  connections: number
  request: (connection: number, n: number) => HttpRequest
}

const json = { 'content-type': 'application/json' }

function casesOf({ tenantId, agents }: SimulatedFleet, headers: Record<string, string>): Case[] {
  const send = (method: string, path: string, body: object): HttpRequest => ({
    method,
    path: `/api/v1${path}?tenantId=${tenantId}`,
    headers: { ...headers, ...json },
    body: JSON.stringify(body),
  })
  const alias = (connections: number): Case => ({
    name: `alias of a device, ${connections} connections`,
    connections,
    request: (connection, n) =>
      send('PATCH', `/devices/${agents[connection]!.id}/alias`, { alias: `alias ${connection} ${n}` }),
  })
  return [
    alias(1),
    alias(8),
    alias(32),
    { name: 'new tag', connections: 8, request: () => send('POST', '/tags', { name: randomUUID() }) },
    { name: 'new customer', connections: 8, request: () => send('POST', '/customers', { name: randomUUID() }) },
    {
      name: 'new device group',
      connections: 8,
      request: () => send('POST', '/device-groups', { name: randomUUID() }),
    },
  ]
}

/**
 * Measures durable writes over HTTP. The baseline writes one row with one flush through `sqlite3` from `node:http`, one
 * request after the other.
 */
export async function writes(options: { seconds?: string; only?: string }) {
  const seconds = Number(options.seconds ?? 4)
  const { settings, headers } = serviceAccount()
  await using folder = await temporaryFolder()
  const results = await withServer(settings, async (server) => {
    const fleet = await registerFleet(server.url, devices)
    const figures = []
    for (const one of casesOf(fleet, headers).filter(({ name }) => name.includes(options.only ?? ''))) {
      const rounds = { connections: one.connections, seconds: seconds / 2, rounds: 2 }
      const bare = { kind: 'write', args: [folder.path], request: () => ({ method: 'POST', path: '/' }) }
      figures.push({ case: one.name, ...(await compareWithBare(server, one.request, bare, rounds)) })
    }
    return figures
  })
  return { seconds, results }
}
