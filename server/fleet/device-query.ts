import type { FindDevicesDto, QueryProblemDto } from '../../shared/api/appliance-device-search.ts'
import {
  maxQueryTerms,
  noneValue,
  parsePercent,
  parseQuery,
  maxQueryValues,
  queryStates,
  systemNames,
  type QueryField,
  type QueryState,
  type QueryTerm,
} from '../../shared/device-query.ts'
import { fold } from '../../shared/fold.ts'
import type { Call } from '../call/call.ts'
import { isByLink } from '../ground/principal.ts'
import { isOutdated, type DeviceState } from './device-state.ts'
import type { FieldTest } from './facet-counts.ts'
import { numberColumns, type Test } from './search-filters.ts'
import { deviceRight, permittedDevices } from './rights.ts'
import { rightOf } from '../rights/rights.ts'
import { starredIdsOf } from './stars.ts'

type Problem = QueryProblemDto['reason']

/** Test of one value, or why there is none. */
type Compiled = Test | Problem

type Compile = (value: string) => Compiled | Promise<Compiled>

const shortestNote = 3

const percent =
  (column: string): Compile =>
  (value) => {
    const condition = parsePercent(value)
    if (!condition) {
      return 'unreadable'
    }
    const { operator, share } = condition
    const of = numberColumns[column]!
    const compare: Record<typeof operator, Test> = {
      '>': ({ device }) => of(device) > share,
      '>=': ({ device }) => of(device) >= share,
      '<': ({ device }) => of(device) < share,
      '<=': ({ device }) => of(device) <= share,
    }
    return compare[operator]
  }

function systemTest(value: string): Compiled {
  const wanted = fold(value)
  const number = [...systemNames].find(([, name]) => fold(name) === wanted)?.[0]
  return number === undefined
    ? ({ device }) => fold(device.osDescription).includes(wanted)
    : ({ device }) => device.platform === number
}

/** An address, or its beginning up to a separator: `10.0.0` is no part of 10.0.01. */
function addressTest(value: string): Compiled {
  const wanted = fold(value)
  const isIn = (address: string) =>
    address === wanted ||
    (address.startsWith(wanted) && (/[.:]$/.test(wanted) || /^[.:]/.test(address.slice(wanted.length))))
  return ({ device: { localIpV4, localIpV6, publicIpV4, publicIpV6 } }) =>
    [localIpV4, localIpV6, publicIpV4, publicIpV6].some((address) => isIn(fold(address)))
}

const hexDigits = (text: string) => fold(text).replaceAll(/[-:.]/g, '')

/** A part of a hardware address, with any separators. */
function macTest(value: string): Compiled {
  const wanted = hexDigits(value)
  return /^[\dA-F]{2,12}$/.test(wanted)
    ? ({ device }) => device.macAddresses.some((address) => hexDigits(address).includes(wanted))
    : 'unreadable'
}

const versionTest = (value: string): Compiled => {
  const isIn = (version: string) => version === value || version.startsWith(`${value}.`)
  return ({ device }) => isIn(device.agentVersion)
}

interface Named {
  id: string
  name: string
  tenantId: string
}

type NamedTable = 'tags' | 'customers' | 'device_groups'

const rowsOf = ({ app, principal: { tenantId } }: Call, table: NamedTable) =>
  app.database.all<Named>(`SELECT id, name, tenantId FROM ${table} WHERE tenantId = ? OR ? IS NULL`, [
    tenantId,
    tenantId,
  ])

/** Names of the principal's tenant or, without one, of all, by id. */
export const namesOf = async (call: Call, table: NamedTable) =>
  new Map((await rowsOf(call, table)).map(({ id, name }) => [id, name]))

async function idsNamed(call: Call, table: NamedTable, wanted: string, mayRead: (row: Named) => boolean) {
  const rows = await rowsOf(call, table)
  return new Set(rows.flatMap((row) => (fold(row.name) === fold(wanted) && mayRead(row) ? [row.id] : [])))
}

/** Tests whether a device that the caller may read has an id. */
function onReadableDevice({ app, principal }: Call, idsOf: (device: DeviceState) => readonly (string | null)[]) {
  let ids: ReadonlySet<string | null> | undefined
  return (id: string) => {
    ids ??= new Set([...permittedDevices(app, principal, 'device.read', 'readable')].flatMap(idsOf))
    return ids.has(id)
  }
}

/** A guest reads the names of the tags of its device; all others read those of the tenant. */
const tagTest = (call: Call): Compile => {
  const isShown = onReadableDevice(call, ({ tagIds }) => tagIds)
  const isGuest = isByLink(call.principal)
  return async (value) => {
    if (value.toLowerCase() === noneValue) {
      return ({ isTagged }) => !isTagged
    }
    const wanted = await idsNamed(call, 'tags', value, ({ id }) => !isGuest || isShown(id))
    return wanted.size === 0 ? 'unknown' : ({ device }) => device.tagIds.some((id) => wanted.has(id))
  }
}

const groupTest =
  (call: Call): Compile =>
  async (value) => {
    const { app, principal } = call
    const isPermitted = rightOf(app, principal, 'tenant.device-groups.read')
    const mayRead = (tenantId: string) => isPermitted({ kind: 'Tenant', tenantId })
    if (principal.tenantId !== null && !mayRead(principal.tenantId)) {
      return 'not-permitted'
    }
    if (value.toLowerCase() === noneValue) {
      return ({ device }) => device.groupIds.length === 0 && mayRead(device.tenantId)
    }
    const wanted = await idsNamed(call, 'device_groups', value, ({ tenantId }) => mayRead(tenantId))
    return wanted.size === 0 ? 'unknown' : ({ device }) => device.groupIds.some((id) => wanted.has(id))
  }

/**
 * Devices of a customer and of its sites. A caller who may not read customers reads the names in its devices, and those
 * of no others.
 */
const customerTest = (call: Call): Compile => {
  const { app, principal } = call
  const isPermitted = rightOf(app, principal, 'tenant.customers.read')
  const isShown = onReadableDevice(call, ({ customerId }) => [customerId])
  return async (value) => {
    if (value.toLowerCase() === noneValue) {
      return ({ device }) => device.customerId === null
    }
    const rows = await app.database.all<Named & { parent: string | null }>(
      `SELECT c.id, c.name, c.tenantId, parent.name AS parent FROM customers AS c
         LEFT JOIN customer_parents AS p ON p.customerId = c.id LEFT JOIN customers AS parent ON parent.id = p.parentId
       WHERE c.tenantId = ? OR ? IS NULL`,
      [principal.tenantId, principal.tenantId],
    )
    const folded = fold(value)
    const isNamed = (name: string | null) => name !== null && fold(name) === folded
    const found = rows.filter(({ id, name, parent, tenantId }) => {
      const isCalledSo = isNamed(name)
      return (
        (isCalledSo || isNamed(parent)) && (isPermitted({ kind: 'Tenant', tenantId }) || (isCalledSo && isShown(id)))
      )
    })
    const wanted = new Set(found.map(({ id }) => id))
    return wanted.size === 0 ? 'unknown' : ({ device }) => device.customerId !== null && wanted.has(device.customerId)
  }
}

/** Reads all notes once for the whole search: a second `note:` would read all of them again. */
function noteTest({ app, principal }: Call): Compile {
  let reads = 0
  return async (value) => {
    if (value.length < shortestNote) {
      return 'too-short'
    }
    if (principal.credential.kind === 'LogonToken') {
      return 'not-permitted'
    }
    if (reads++ > 0) {
      return 'too-many'
    }
    const rows = await app.database.all<{ deviceId: string }>(
      // Reads the table in its order: by an index, 20,000 notes took 96 ms instead of 8.
      'SELECT deviceId FROM device_notes NOT INDEXED WHERE instr(searchText, ?) > 0 AND (tenantId = ? OR ? IS NULL)',
      [value.toLowerCase(), principal.tenantId, principal.tenantId],
    )
    const wanted = new Set(rows.map(({ deviceId }) => deviceId))
    const mayRead = deviceRight(app, principal, 'device.overview.read')
    return ({ device }) => wanted.has(device.id) && mayRead(device)
  }
}

/** Same as `isOutdated` of a presented device. */
export function outdatedTest({ app }: Pick<Call, 'app'>): (entry: { device: { agentVersion: string } }) => boolean {
  const { version } = app.agentRelease
  return ({ device }) => isOutdated(device.agentVersion, version)
}

const isState = (value: string): value is QueryState => (queryStates as readonly string[]).includes(value)

const stateTest =
  (call: Call): Compile =>
  async (value) => {
    const state = value.toLowerCase()
    if (!isState(state)) {
      return 'unreadable'
    }
    if (state === 'starred') {
      const starred = await starredIdsOf(call)
      return ({ device }) => starred.has(device.id)
    }
    const tests: Record<Exclude<QueryState, 'starred'>, Test> = {
      online: ({ isOnline }) => isOnline,
      offline: ({ isOnline }) => !isOnline,
      outdated: outdatedTest(call),
    }
    return tests[state]
  }

const compilers = (call: Call): Record<QueryField, Compile> => ({
  tag: tagTest(call),
  customer: customerTest(call),
  group: groupTest(call),
  system: systemTest,
  version: versionTest,
  is: stateTest(call),
  disk: percent('UsedStoragePercent'),
  memory: percent('UsedMemoryPercent'),
  cpu: percent('CpuUtilization'),
  note: noteTest(call),
  ip: addressTest,
  mac: macTest,
})

const uncounted = ['memory', 'cpu', 'note', 'ip', 'mac'] as const
const isUncounted = (field: QueryField): field is (typeof uncounted)[number] =>
  (uncounted as readonly QueryField[]).includes(field)

/** Field under which a term is counted. An exclusion always counts. */
function facetFieldOf({ field, values, isExcluded }: QueryTerm): FieldTest['field'] {
  if (isExcluded || isUncounted(field)) {
    return 'other'
  }
  if (field !== 'is') {
    return field
  }
  const states = new Set(values.map((value) => value.toLowerCase()))
  const [state] = states
  return states.size === 1 && (state === 'starred' || state === 'outdated') ? state : 'presence'
}

export interface CompiledQuery {
  /** Folded. */
  text: string
  tests: FieldTest[]
  problems: QueryProblemDto[]
}

const never: Test = () => false

/** Compiles a typed search to tests. A value that is not understood matches nothing, and is a problem. */
export async function compileQuery(call: Call, query: string): Promise<CompiledQuery> {
  const { text, terms } = parseQuery(query)
  const problems: QueryProblemDto[] = []
  const compile = compilers(call)
  const tests: FieldTest[] = []
  let read = 0
  for (const [index, term] of terms.entries()) {
    const { field, values, isExcluded } = term
    const alternatives: Test[] = []
    for (const value of values) {
      const compiled = index < maxQueryTerms && read++ < maxQueryValues ? await compile[field](value) : 'too-many'
      if (typeof compiled === 'string') {
        problems.push({ field, value, reason: compiled })
      } else {
        alternatives.push(compiled)
      }
    }
    const [first = never] = alternatives
    const matches: Test = alternatives.length > 1 ? (entry) => alternatives.some((test) => test(entry)) : first
    tests.push({ field: facetFieldOf(term), test: isExcluded ? (entry) => !matches(entry) : matches })
  }
  return { text: fold(text), tests, problems }
}

/** The V1 request of a typed search, whose other tests are compiled. */
export const requestOf = (text: string, { sortDefinitions, page, pageSize }: Omit<FindDevicesDto, 'query'>) =>
  ({
    searchText: text,
    sortDefinitions,
    page,
    pageSize,
    hideOfflineDevices: false,
    includeUntaggedDevices: false,
    tagFilterMatchMode: 'Any',
    showOnlyUntaggedDevices: false,
    deviceGroupFilterMatchMode: 'Any',
    showOnlyUngroupedDevices: false,
  }) as const
