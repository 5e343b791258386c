import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import type { TimelineEntryDto, TimelineGroup } from '../../../shared/dtos/timeline.ts'
import { api } from '../../api/http.ts'

/** Device or person whose timeline is shown. */
export type TimelineSource =
  | { kind: 'device'; deviceId: string; name: string }
  | { kind: 'person'; userId: string; name: string }

const changes: readonly TimelineGroup[] = ['device', 'rights', 'people', 'credential', 'settings', 'export', 'server']

/** Groups of entries behind each filter. */
export const filters = {
  connection: ['connection'],
  session: ['session'],
  alert: ['alert'],
  file: ['file'],
  change: changes,
  'sign-in': ['sign-in', 'account'],
} as const satisfies Record<string, readonly TimelineGroup[]>
export type TimelineFilter = keyof typeof filters

export const filtersOf = ({ kind }: TimelineSource): TimelineFilter[] =>
  kind === 'device'
    ? ['connection', 'session', 'alert', 'file', 'change']
    : ['session', 'alert', 'file', 'change', 'sign-in']

/** Pages that are read for one request of the person, as long as they have no entries. */
const mostEmptyPages = 20

export const timelineQuery = (source: TimelineSource, filter: TimelineFilter | '', limit: number) => {
  const read = (before: string | undefined, signal: AbortSignal) => {
    const query = { limit, before, ...(filter && { groups: filters[filter].join() }) }
    return source.kind === 'device'
      ? api.timeline.ofDevice({ params: { deviceId: source.deviceId }, query }, signal)
      : api.timeline.ofPerson({ params: { userId: source.userId }, query }, signal)
  }
  return infiniteQueryOptions({
    queryKey: ['timeline', source.kind === 'device' ? source.deviceId : source.userId, filter, limit],
    queryFn: async ({ pageParam, signal }) => {
      let page = await read(pageParam, signal)
      for (let pages = 1; page.items.length === 0 && page.next !== null && pages < mostEmptyPages; pages++) {
        page = await read(page.next, signal)
      }
      return page
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  })
}

export interface TimelineDay {
  /** Midnight in the time zone of the browser. */
  day: number
  entries: TimelineEntryDto[]
}

/** Entries by the day of this browser's time zone, newest first. */
export function byDay(entries: readonly TimelineEntryDto[]): TimelineDay[] {
  const days: TimelineDay[] = []
  for (const entry of entries) {
    const day = new Date(entry.at).setHours(0, 0, 0, 0)
    if (days.at(-1)?.day === day) {
      days.at(-1)!.entries.push(entry)
    } else {
      days.push({ day, entries: [entry] })
    }
  }
  return days
}
