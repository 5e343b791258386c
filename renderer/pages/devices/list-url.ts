import { formatQuery, parseQuery, setValue } from '../../../shared/device-query.ts'
import type { DeviceSearch } from '../../api/device-queries.ts'

/** Columns with the server's property names for sorting. */
export const sortProperties = {
  status: 'IsOnline',
  name: 'Name',
  user: 'CurrentUsers',
  system: 'OsDescription',
  cpu: 'CpuUtilization',
  memory: 'UsedMemoryPercent',
  disk: 'UsedStoragePercent',
  lastSeen: 'LastSeen',
  agent: 'AgentVersion',
  address: 'LocalIpV4',
  hostName: 'DnsHostName',
  systemVersion: 'OsDescription',
  customer: 'CustomerName',
} as const
export type SortColumn = keyof typeof sortProperties

/** List state in the address of the page. */
export interface ListState {
  /** Typed search: text and terms, as `shared/device-query.ts` reads them. */
  text: string
  sort: SortColumn
  isDescending: boolean
  /** Device in the details pane. */
  deviceId: string | undefined
}

/** Changes the list; a function gets the state in the address. */
export type ChangeList = (change: Partial<ListState> | ((now: ListState) => Partial<ListState>)) => void

export const isSortColumn = (text: string): text is SortColumn => Object.hasOwn(sortProperties, text)

export function readListState(query: URLSearchParams): ListState {
  const text = query.get('q') ?? ''
  // Addresses of earlier versions have the state apart.
  const show = query.get('show')
  const sort = query.get('sort') ?? 'name'
  const column = sort.replace(/^-/, '')
  const isKnown = isSortColumn(column)
  return {
    text: show === 'online' || show === 'offline' ? formatQuery(setValue(parseQuery(text), 'is', show)) : text,
    sort: isKnown ? column : 'name',
    isDescending: isKnown && sort.startsWith('-'),
    deviceId: query.get('device') ?? undefined,
  }
}

/** Writes the shortest query string for a state: defaults are omitted. */
export function writeListState({ text, sort, isDescending, deviceId }: ListState) {
  const query = new URLSearchParams()
  if (text) {
    query.set('q', text)
  }
  if (sort !== 'name' || isDescending) {
    query.set('sort', (isDescending ? '-' : '') + sort)
  }
  if (deviceId) {
    query.set('device', deviceId)
  }
  return query
}

const movingColumns: readonly SortColumn[] = ['status', 'cpu', 'memory', 'disk', 'lastSeen', 'user']

/** Sort orders by live values: rows keep their places until the user sorts again. */
export const isMovingOrder = ({ sort }: Pick<ListState, 'sort'>) => movingColumns.includes(sort)

/** Search request of a list state. Ties are sorted by name. */
export function toSearch({ text, sort, isDescending }: Omit<ListState, 'deviceId'>): DeviceSearch {
  const first = { propertyName: sortProperties[sort], descending: isDescending, sortOrder: 0 }
  const byName = { propertyName: sortProperties.name, descending: false, sortOrder: 1 }
  return {
    query: text.trim(),
    sortDefinitions: sort === 'name' ? [first] : [first, byName],
  }
}
