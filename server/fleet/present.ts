import { instant } from '../ground/instant.ts'
import type { DeviceColumn } from '../../shared/api/appliance-device-search.ts'
import type { DeviceViewDto } from '../../shared/api/appliance-device-views.ts'
import type { DeviceSearchRequestDto } from '../../shared/api/devices.ts'
import { systemNames } from '../../shared/device-query.ts'
import type { OpenRouteCall } from '../call/call.ts'
import { presentDevice } from './present-device.ts'
import { mapInSlices } from '../ground/clock.ts'
import { csvFile, line } from '../ground/csv.ts'
import type { DeviceList } from './device-list.ts'
import type { DeviceState } from './device-state.ts'
import { ignoredFilters, type Test } from './search-filters.ts'
import { ignoredSorts } from './sort-columns.ts'
import type { DeviceViewRow } from './tables.ts'

type Cell = readonly [heading: string, valueOf: (device: DeviceState) => string | number | null]

const tenths = (value: number) => Math.round(value * 10) / 10

/** Cells of each column of the list. `nameOfTag` is undefined for a tag that was deleted meanwhile. */
const cellsOf = (nameOfTag: (id: string) => string | undefined): Record<DeviceColumn, readonly Cell[]> => ({
  status: [['Status', ({ connectionId }) => (connectionId === '' ? 'Offline' : 'Online')]],
  name: [
    ['Name', ({ name }) => name],
    ['Alias', ({ alias }) => alias],
  ],
  user: [['User', ({ currentUsers }) => currentUsers.join(', ')]],
  system: [['System', ({ platform }) => systemNames.get(platform) ?? 'unknown']],
  cpu: [['CPU in percent', ({ cpuUtilization }) => tenths(cpuUtilization * 100)]],
  memory: [
    ['Memory used in GiB', ({ usedMemory }) => tenths(usedMemory)],
    ['Memory in GiB', ({ totalMemory }) => tenths(totalMemory)],
  ],
  disk: [
    ['Disk used in GiB', ({ usedStorage }) => tenths(usedStorage)],
    ['Disk in GiB', ({ totalStorage }) => tenths(totalStorage)],
  ],
  lastSeen: [['Last report', ({ lastSeen }) => instant(lastSeen)]],
  agent: [['Agent', ({ agentVersion }) => agentVersion]],
  address: [['Local address', ({ localIpV4 }) => localIpV4]],
  hostName: [['Host name', ({ dnsHostName }) => dnsHostName]],
  customer: [['Customer', ({ customerName }) => customerName]],
  tags: [
    [
      'Tags',
      ({ tagIds }) =>
        tagIds
          .flatMap((id) => nameOfTag(id) ?? [])
          .toSorted()
          .join(', '),
    ],
  ],
  systemVersion: [['System version', ({ osDescription }) => osDescription]],
})

async function* linesOf(pages: AsyncIterable<readonly DeviceState[]>, cells: readonly Cell[]) {
  for await (const page of pages) {
    yield page.map((device) => line(cells.map(([, valueOf]) => valueOf(device)))).join('')
  }
}

export function deviceFile(
  pages: AsyncIterable<readonly DeviceState[]>,
  columns: readonly DeviceColumn[],
  nameOfTag: (id: string) => string | undefined,
): AsyncIterable<string> {
  const table = cellsOf(nameOfTag)
  const cells = columns.flatMap((column) => table[column])
  return csvFile(
    cells.map(([heading]) => heading),
    linesOf(pages, cells),
  )
}

export const presentDeviceView = (view: DeviceViewRow, mayEdit: boolean): DeviceViewDto => ({
  id: view.id,
  name: view.name,
  query: view.query,
  sort: view.sort,
  isShared: view.userId === null,
  authorName: view.authorName,
  createdAt: instant(view.createdAt),
  mayEdit,
})

/** Search result with the number of hidden untagged devices, which only the older surface returns. */
export async function searchPresented(
  call: OpenRouteCall,
  found: DeviceList,
  request: DeviceSearchRequestDto,
  tests: readonly Test[] = [],
) {
  const { version } = call.app.agentRelease
  call.nameIgnored([...ignoredFilters(request), ...ignoredSorts(request)])
  const { items, ...counts } = await found.search(request, tests)
  return { items: await mapInSlices(items, (device) => presentDevice(device, version)), ...counts }
}
