import { randomUUID } from 'node:crypto'
import { api } from '../../../shared/api/index.ts'
import type { RouteDefinition } from '../../../shared/contract/route.ts'
import { internalAliases } from '../../../server/surface/internal-aliases.ts'
import type { HttpRequest } from '../http.ts'
import { hostileBodies } from './bodies.ts'
import type { Fleet } from './fleet.ts'

export interface WorstRequest extends HttpRequest {
  /** Method and path as declared, without values. */
  route: string
  /** Reason why the request is hard. */
  name: string
}

const routes: RouteDefinition[] = [
  ...Object.values(api).flatMap((surface) => Object.values(surface)),
  ...internalAliases.map(({ group }) => group),
].flatMap(({ routes: declared }) => Object.values(declared) as RouteDefinition[])

const routeOf = ({ method, path }: RouteDefinition) => `${method} ${path}`

/** Routes that would end the session of the benchmark. */
const leftOut = /\/(logout|session)$/

/** Routes that delete what others need; they run last, in this order. */
const ending = [
  'DELETE /api/v1/tags/:tagId',
  'DELETE /api/v1/device-groups/:deviceGroupId',
  'DELETE /api/v1/user-groups/:userGroupId',
  'DELETE /api/v1/customers/:customerId',
  'POST /api/v1/devices/delete-many',
]

const first = (ids: readonly string[]) => ids[0]!

/** Values of path parameters. */
const valuesOf = (fleet: Fleet): Record<string, string> => ({
  deviceId: first(fleet.deviceIds),
  tagId: first(fleet.tagIds),
  customerId: first(fleet.customerIds),
  deviceGroupId: first(fleet.deviceGroupIds),
  userGroupId: first(fleet.userGroupIds),
  userId: fleet.userId,
  principalId: fleet.userId,
  keyId: first(fleet.installerKeyIds),
  installerKeyId: first(fleet.installerKeyIds),
  accountId: first(fleet.serviceAccountIds),
  serviceAccountId: first(fleet.serviceAccountIds),
  tenantId: fleet.tenantId,
  runtime: 'linux-x64',
  targetProcessId: '1',
})

/** Query members that cause the most work. */
const queryOf = (fleet: Fleet): Record<string, string> => ({
  tenantId: fleet.tenantId,
  principalKind: 'UserGroup',
  principalId: first(fleet.userGroupIds),
  permissionName: 'device.read',
  includeLinkedIds: 'true',
  range: 'quarter',
  searchText: 'e',
  pageSize: '200',
})

function pathOf({ path }: RouteDefinition, fleet: Fleet): string {
  const values = valuesOf(fleet)
  const filled = path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? randomUUID())
  return `${filled}?${new URLSearchParams(queryOf(fleet)).toString()}`
}

const texts = ['a', 'e', 'o', 'i', 'r', 'n', 's', 't']
const operators = ['contains', 'not contains', 'starts with', 'ends with', 'equals', 'not equals']
const textColumns = ['OsDescription', 'Name', 'Alias', 'ConnectionId']

/** Fifty filters that all devices pass, so that every filter is evaluated. */
const filterDefinitions = Array.from({ length: 50 }, (_, index) => ({
  propertyName: textColumns[index % textColumns.length],
  operator: 'not contains',
  value: `${'x'.repeat(5)}${index}`,
}))

const sortedBy = (...names: string[]) =>
  names.map((propertyName, sortOrder) => ({ propertyName, descending: sortOrder % 2 === 0, sortOrder }))

const everything = { pageSize: 1_000_000 }

/** Bodies of the search, by the reason why they are hard. */
function searchBodies(fleet: Fleet): Record<string, object> {
  const thousandOf = (ids: readonly string[]) => [...ids, ...fleet.deviceIds].slice(0, 1000)
  const columns =
    'IsOnline AgentVersion OsDescription UsedStoragePercent UsedMemoryPercent CpuUtilization LastSeen Name'
  const equal = operators.map((operator) => ({ propertyName: 'Name', operator, value: 'a' }))
  return {
    'everything on one page': everything,
    'fifty filters': { pageSize: 50, filterDefinitions },
    'a thousand tags, groups and customers, all of them': {
      ...everything,
      tagIds: thousandOf(fleet.tagIds),
      deviceGroupIds: thousandOf(fleet.deviceGroupIds),
      customerIds: thousandOf(fleet.customerIds),
    },
    'eight sort orders, everything on one page': { ...everything, sortDefinitions: sortedBy(...columns.split(' ')) },
    'steady sort orders': { ...everything, sortDefinitions: sortedBy('AgentVersion', 'OsDescription', 'Name') },
    'a page in the middle by load': { page: 5, pageSize: 900, sortDefinitions: sortedBy('CpuUtilization') },
    ...Object.fromEntries(texts.map((searchText) => [`the text ${searchText}`, { ...everything, searchText }])),
    'a long text that begins everywhere': { pageSize: 50, searchText: `${'ber'.repeat(99)}x` },
    operators: { pageSize: 50, filterDefinitions: equal },
  }
}

/** Valid bodies that cause the most work, by declared path. */
function rightBodies(fleet: Fleet): Record<string, Record<string, object>> {
  const { tenantId, userId } = fleet
  const thousand = fleet.deviceIds.slice(0, 1000)
  const scopes = thousand.map((scopeId) => ({ permissionName: 'device.read', scopeKind: 'Device', scopeId }))
  const rules = scopes.map((scope) => ({ ...scope, notes: 'n'.repeat(500) }))
  const principal = { principalKind: 'User', principalId: first(fleet.userIds) }
  const searches = searchBodies(fleet)
  const devices = { 'a thousand devices': { deviceIds: thousand } }
  const users = { 'a thousand users': { userIds: fleet.userIds.slice(0, 1000) } }
  return {
    'POST /api/v1/devices/search': searches,
    'POST /api/devices/search': searches,
    'POST /api/v1/customers/:customerId/devices': {
      'a thousand in and out': { deviceIds: thousand, removeDeviceIds: fleet.deviceIds.slice(1000, 2000) },
    },
    'POST /api/v1/device-groups/:deviceGroupId/members': devices,
    'DELETE /api/v1/device-groups/:deviceGroupId/members': devices,
    'POST /api/v1/user-groups/:userGroupId/members': users,
    'DELETE /api/v1/user-groups/:userGroupId/members': users,
    'POST /api/v1/permission-assignments/batch': {
      'a thousand rules': { assignments: rules.map((rule) => ({ ...rule, ...principal })) },
    },
    'POST /api/v1/permission-assignments/replace': { 'a thousand rules': { ...principal, assignments: rules } },
    'POST /api/v1/personal-access-tokens': { 'a thousand scopes': { name: 'worst', scopes } },
    'POST /api/v1/logon-tokens/user': { 'a token': { tenantId, deviceId: first(fleet.deviceIds), userId } },
    'PUT /api/v1/customers/:customerId': { 'of all devices': { name: 'renamed' } },
    'POST /api/v1/devices/delete-many': { 'a thousand devices': { deviceIds: fleet.deviceIds.slice(-1000) } },
  }
}

const json = { 'content-type': 'application/json' }

function requestsOf(definition: RouteDefinition, fleet: Fleet, right: Record<string, object> = {}): WorstRequest[] {
  const { method, body, bodyType = 'json' } = definition
  const request = { route: routeOf(definition), method, path: pathOf(definition, fleet) }
  if (!body) {
    return method === 'GET' || ending.includes(request.route) ? [{ ...request, name: 'as it is' }] : []
  }
  if (bodyType === 'json') {
    const valid = Object.entries(right).map(([name, value]) => [name, JSON.stringify(value)] as const)
    return [...valid, ...hostileBodies(body)].map(([name, text]) => ({ ...request, name, headers: json, body: text }))
  }
  const form = {
    name: 'ten thousand paths',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `archiveFileName=a${'&targetPaths=/home/somebody/%C3%A9'.repeat(10_000)}`,
  }
  return bodyType === 'form' ? [{ ...request, ...form }] : []
}

const others = ['/openapi/v1.json', '/openapi/internal.json', '/openapi/appliance.json', '/reference', '/', '/health']

/** Worst permitted requests of every route with a body, every list, and the endpoints besides the routes. */
export function worstRequests(fleet: Fleet): WorstRequest[] {
  const right = rightBodies(fleet)
  const ordered = [
    ...routes.filter((definition) => !leftOut.test(definition.path) && !ending.includes(routeOf(definition))),
    ...ending.flatMap((route) => routes.filter((definition) => routeOf(definition) === route)),
  ]
  return [
    ...others.map((path) => ({ route: `GET ${path}`, name: 'as it is', method: 'GET', path })),
    ...ordered.flatMap((definition) => requestsOf(definition, fleet, right[routeOf(definition)])),
  ]
}
