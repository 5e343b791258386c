import { randomUUID } from 'node:crypto'
import { identity } from '../../shared/api/identity.ts'
import { tags } from '../../shared/api/tags.ts'
import { createClient } from '../../shared/contract/client.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { demoAccount, registerFleet, type SimulatedFleet } from '../simulate/fleet.ts'
import { withServer, type ServerProcess } from '../simulate/server-process.ts'
import { compareWithBare, type HttpRequest } from './measure.ts'

const connections = 32
const rounds = { connections, seconds: 1.5, rounds: 3 }
const searchedDevices = 10_000

interface Case {
  name: string
  request: (connection: number, n: number) => HttpRequest
}

const json = { 'content-type': 'application/json' }

/** Compares a case with a bare handler that answers as many bytes. */
async function compare(server: ServerProcess, { name, request }: Case) {
  const { method, path, headers, body } = request(0, 0)
  const answer = await fetch(server.url + path, {
    ...(method && { method }),
    ...(headers && { headers }),
    ...(body && { body }),
  })
  const bodyBytes = (await answer.arrayBuffer()).byteLength
  if (!answer.ok) {
    throw new Error(`${name}: ${answer.status}`)
  }
  const figures = await compareWithBare(server, request, { kind: 'http', args: [String(bodyBytes)] }, rounds)
  return { case: name, bodyBytes, ...figures }
}

/** Sequential, because the cases share the processors. */
async function compareAll(server: ServerProcess, cases: readonly Case[]) {
  const figures = []
  for (const one of cases) {
    figures.push(await compare(server, one))
  }
  return figures
}

/** Adds a tag to the connection's own device and removes it again. */
async function tagCase(
  url: string,
  { tenantId, agents }: SimulatedFleet,
  headers: Record<string, string>,
): Promise<Case> {
  const tag = await createClient(tags, { baseUrl: url, fetch, headers }).create({
    tenantId,
    body: { name: `bench-${randomUUID()}` },
  })
  return {
    name: 'POST and DELETE a tag of a device',
    request(connection, n) {
      const { id: deviceId } = agents[connection % agents.length]!
      return n % 2 === 0
        ? {
            method: 'POST',
            path: `/api/v1/device-tags?tenantId=${tenantId}`,
            headers: { ...headers, ...json },
            body: JSON.stringify({ deviceId, tagId: tag.id }),
          }
        : { method: 'DELETE', path: `/api/v1/device-tags/${deviceId}/${tag.id}?tenantId=${tenantId}`, headers }
    },
  }
}

/** Creates 20 tags, and returns the address of their list. */
async function tagList(url: string, { tenantId }: SimulatedFleet, headers: Record<string, string>) {
  const client = createClient(tags, { baseUrl: url, fetch, headers })
  for (let n = 0; n < 20; n++) {
    await client.create({ tenantId, body: { name: `listed-${n}` } })
  }
  return `/api/v1/tags?tenantId=${tenantId}`
}

/** Headers of a signed-in program. */
async function bearer(url: string) {
  const tokens = await createClient(identity, { baseUrl: url, fetch }).login({ query: {}, body: demoAccount })
  return { authorization: `Bearer ${tokens?.accessToken}` }
}

const get = (path: string, headers: Record<string, string>, credential = ''): Case => ({
  name: `GET ${path.replace(/[\da-f-]{36}/, '{deviceId}').replace(/\?.*/, '')}${credential}`,
  request: () => ({ path, headers }),
})

const search = (name: string, bodyOf: (n: number) => object, headers: Record<string, string>): Case => ({
  name,
  request: (connection, n) => ({
    method: 'POST',
    path: '/api/v1/devices/search',
    headers: { ...headers, ...json },
    body: JSON.stringify({ page: 0, pageSize: 50, ...bodyOf(n * connections + connection) }),
  }),
})

/**
 * Measures the HTTP surface with an API key over 32 connections: `--devices 1000` for everything but search, which has
 * 10,000.
 */
export async function rest(options: { devices?: string; only?: string }) {
  const { settings: account, headers } = serviceAccount()
  const settings = { ...account, Service_AppOptions__EnableInteractiveBearerLogin: 'true' }
  const isWanted = ({ name }: Case) => name.includes(options.only ?? '')
  const devices = Number(options.devices ?? 1000)
  const results = await withServer(settings, async (server) => {
    const fleet = await registerFleet(server.url, devices)
    const tagsPath = await tagList(server.url, fleet, headers)
    const device = `/api/v1/devices/${fleet.agents[0]!.id}`
    const cases = [
      get('/api/v1/version/server', {}),
      get('/api/v1/server-stats', headers),
      get(device, headers),
      get(device, await bearer(server.url), ', bearer token'),
      get(device, { cookie: fleet.cookie }, ', cookie'),
      get(tagsPath, headers, ', 20 tags'),
      get('/api/v1/devices/summary', headers),
      get('/api/v1/devices', headers),
      await tagCase(server.url, fleet, headers),
    ]
    return compareAll(server, cases.filter(isWanted))
  })
  const searches = await withServer(settings, async (server) => {
    await registerFleet(server.url, searchedDevices)
    const sortedBy = (propertyName: string) => [{ propertyName, descending: false, sortOrder: 0 }]
    const sortDefinitions = sortedBy('Name')
    const cases = [
      search('search: one text, sorted by name', () => ({ searchText: 'srv', sortDefinitions }), headers),
      search('search: everything', () => ({}), headers),
      // Defeats search caches: no text repeats, and load changes with every report.
      search('search: a new text each time', (n) => ({ searchText: `srv-${n}`, sortDefinitions }), headers),
      search('search: sorted by load', () => ({ sortDefinitions: sortedBy('CpuUtilization') }), headers),
    ]
    return compareAll(server, cases.filter(isWanted))
  })
  return { connections, devices, searchedDevices, results: [...results, ...searches] }
}
