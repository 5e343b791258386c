import { fold } from '../../../shared/fold.ts'
import { sessionKinds } from '../../components/session-kinds.ts'
import type { SessionColumn } from './session-list.tsx'
import type { LiveSession } from '../../hooks/use-sessions.ts'

/** Page state in the address. */
export interface BoardState {
  text: string
  kind: string | undefined
  isMine: boolean
  sort: SessionColumn
  isDescending: boolean
}

const columns: readonly SessionColumn[] = ['kind', 'device', 'person', 'since', 'traffic']

export function readBoard(query: URLSearchParams): BoardState {
  return {
    text: query.get('q') ?? '',
    kind: sessionKinds.find((kind) => kind === query.get('kind')),
    isMine: query.has('mine'),
    sort: columns.find((column) => column === query.get('sort')) ?? 'since',
    isDescending: query.has('desc'),
  }
}

export function writeBoard({ text, kind, isMine, sort, isDescending }: BoardState) {
  return new URLSearchParams({
    ...(text && { q: text }),
    ...(kind && { kind }),
    ...(isMine && { mine: '1' }),
    ...(sort !== 'since' && { sort }),
    ...(isDescending && { desc: '1' }),
  })
}

/** Sessions that match the filters. */
export function filtered(sessions: readonly LiveSession[], { text, kind, isMine }: BoardState, userId: string) {
  const wanted = fold(text.trim())
  return sessions.filter(
    (session) =>
      (!kind || session.kind === kind) &&
      (!isMine || session.principalId === userId) &&
      fold(`${session.deviceName}\n${session.principalName}`).includes(wanted),
  )
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/**
 * Sorts sessions. Bytes change constantly, so sorting by traffic uses `held`, the bytes per session when the order was
 * requested: rows keep their places, and newer sessions come last.
 */
export function sorted(
  sessions: readonly LiveSession[],
  { sort, isDescending }: BoardState,
  held: ReadonlyMap<string, number>,
): LiveSession[] {
  const sign = isDescending ? -1 : 1
  const bytesOf = ({ id }: LiveSession) => held.get(id) ?? (isDescending ? -1 : Infinity)
  const compare: Record<SessionColumn, (a: LiveSession, b: LiveSession) => number> = {
    kind: (a, b) => sessionKinds.indexOf(a.kind) - sessionKinds.indexOf(b.kind),
    device: (a, b) => collator.compare(a.deviceName, b.deviceName),
    person: (a, b) => collator.compare(a.principalName, b.principalName),
    // Ascending means the longest-running first, as the server lists them.
    since: (a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt),
    traffic: (a, b) => bytesOf(a) - bytesOf(b),
  }
  return sessions.toSorted(
    (a, b) =>
      sign * compare[sort](a, b) || Date.parse(a.startedAt) - Date.parse(b.startedAt) || a.id.localeCompare(b.id),
  )
}
