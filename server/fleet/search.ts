import { fold } from '../../shared/fold.ts'
import type { DeviceSearchRequestDto } from '../../shared/api/devices.ts'
import { TimeSlice } from '../ground/clock.ts'
import type { DeviceState, FleetEntry } from './device-state.ts'
import { tagTest, testsOf, type Test } from './search-filters.ts'
import { onlineFlag, taggedFlag, type DeviceIndex } from './search-index.ts'
import { sortsOf } from './sort-columns.ts'

export interface DeviceSearchResult {
  items: readonly DeviceState[]
  totalItems: number
  anyDevicesForUser: boolean
  filterCounts: { taggedDevices: number; untaggedDevices: number; onlineDevices: number; offlineDevices: number }
  /** Untagged devices excluded only by the wanted tags. */
  hiddenUntaggedDevices: number
}

/** A request, and tests that its schema cannot express. */
export interface Search {
  request: DeviceSearchRequestDto
  tests: readonly Test[]
}

const isMatch = 1
/** An untagged device excluded only by the wanted tags. */
const isHidden = 2

/** Devices tested between two checks of the time slice. */
const devicesPerCheck = 128

/**
 * Result of each device, by its position: `isMatch`, `isHidden` or 0. Undefined if all match. Yields, because fifty
 * filters on thousands of devices take longer than a time slice.
 */
async function matchesOf(entries: readonly FleetEntry[], { request, tests: more }: Search, index: DeviceIndex) {
  const withText = index.containing(fold(request.searchText?.trim() ?? ''))
  const tests = [...testsOf(request), ...more]
  const hasWantedTags = tagTest(request)
  if (tests.length === 0 && !hasWantedTags) {
    return withText
  }
  const matches = new Uint8Array(entries.length)
  const slice = new TimeSlice()
  for (let position = 0; position < entries.length; position++) {
    if (position % devicesPerCheck === 0 && slice.isOver) {
      await slice.yield()
    }
    const entry = entries[position]!
    if (withText?.[position] !== 0 && tests.every((test) => test(entry))) {
      const isTagWanted = !hasWantedTags || hasWantedTags(entry)
      matches[position] = isTagWanted ? isMatch : entry.isTagged ? 0 : isHidden
    }
  }
  return matches
}

/** Counts of a search, and the positions on its page. */
interface Found {
  positions: number[]
  total: number
  tagged: number
  online: number
  hidden: number
}

/** All devices: the counts are known. */
function allOf(count: number, page: Page, index: DeviceIndex, order: Uint32Array | undefined): Found {
  const length = Math.max(0, Math.min(page.end, count) - page.start)
  const positions = Array.from({ length }, (_, at) => order?.[page.start + at] ?? page.start + at)
  return { positions, total: count, ...index.counts, hidden: 0 }
}

interface Page {
  start: number
  end: number
}

/** The matching devices. This loop dominates most searches over thousands of devices, so it calls no functions. */
function matchingOf(matches: Uint8Array, page: Page, index: DeviceIndex, order: Uint32Array | undefined): Found {
  const { states } = index
  const positions: number[] = []
  let [total, tagged, online, hidden] = [0, 0, 0, 0]
  for (let place = 0; place < matches.length; place++) {
    const position = order === undefined ? place : order[place]!
    if (matches[position] !== isMatch) {
      hidden += matches[position] === isHidden ? 1 : 0
      continue
    }
    if (total >= page.start && total < page.end) {
      positions.push(position)
    }
    const state = states[position]!
    total++
    tagged += state & taggedFlag ? 1 : 0
    online += state & onlineFlag
  }
  return { positions, total, tagged, online, hidden }
}

/** Filters, sorts and pages devices, given oldest first; `index` is their index. */
export async function searchDevices(
  entries: readonly FleetEntry[],
  search: Search,
  index: DeviceIndex,
): Promise<DeviceSearchResult> {
  const { page, pageSize } = search.request
  const wanted = { start: page * pageSize, end: page * pageSize + pageSize }
  const matches = await matchesOf(entries, search, index)
  const sorts = sortsOf(search.request)
  const order = sorts.length === 0 ? undefined : await index.order(sorts)
  const found = matches
    ? matchingOf(matches, wanted, index, order?.())
    : allOf(entries.length, wanted, index, order?.())
  return {
    items: found.positions.map((position) => entries[position]!.device),
    totalItems: found.total,
    anyDevicesForUser: entries.length > 0,
    filterCounts: {
      taggedDevices: found.tagged,
      untaggedDevices: found.total - found.tagged,
      onlineDevices: found.online,
      offlineDevices: found.total - found.online,
    },
    hiddenUntaggedDevices: found.hidden,
  }
}
