import type { RouteCall } from '../call/call.ts'
import { rightsGate } from '../call/running-work.ts'
import { AppError } from '../ground/errors.ts'
import { inSlices } from '../ground/clock.ts'
import { mailedOrigin } from '../network/addresses.ts'
import { isSecondFactorMissing } from '../people/unfinished-account.ts'
import { feedText } from './present.ts'
import { maySee } from './rights.ts'
import type { ProgramEventRow } from './tables.ts'

/** Rows looked at for one page: bounds the work of a reader who may see few. */
const maxScanned = 5_000
/** Rows read at once at least: a reader who asks for one event, and may see few, costs no query for each row. */
const leastRead = 100
/** Interval of the lines that keep an idle feed open, and tell it how far it has come. */
const idleMs = 15_000

export interface Place {
  /** Id of an event, or `latest`. */
  after?: string | undefined
  kinds?: readonly string[] | undefined
}

/** Id after which reading begins. Throws 410 for one whose next events are not kept, or that this server never gave. */
export function startOf({ app: { events } }: RouteCall, { after }: Place): number {
  const { firstId, lastId } = events
  if (after === 'latest') {
    return lastId
  }
  if (after === undefined) {
    return firstId - 1
  }
  const start = Number(after)
  if (start < firstId - 1 || start > lastId) {
    throw new AppError(410, 'Events after this one are not kept. Read the present state, then begin at the first.', {
      firstEventId: String(firstId),
    })
  }
  return start
}

/** True for an event of one of these types or groups. */
export const isOfKinds = ({ kind }: ProgramEventRow, kinds: readonly string[] | undefined): boolean =>
  kinds === undefined || kinds.some((name) => kind === name || kind.startsWith(`${name}.`))

/** Up to `limit` events that the caller may see after an id, and the id up to which was looked. */
export async function readEvents(call: RouteCall, after: number, { kinds }: Place, limit: number) {
  const { app, principal } = call
  const found: ProgramEventRow[] = []
  let last = after
  for (let scanned = 0; scanned < maxScanned && last < app.events.lastId && found.length < limit;) {
    const rows = await app.events.after(last, Math.max(limit, leastRead))
    for await (const row of inSlices(rows)) {
      last = row.id
      if (isOfKinds(row, kinds) && maySee(app, principal, row) && found.push(row) === limit) {
        break
      }
    }
    scanned += rows.length
    if (rows.length === 0) {
      break
    }
  }
  return { rows: found, last, hasMore: last < app.events.lastId }
}

/** Counts a feed until its response is closed. Throws 429 for a caller with too many feeds. */
export function admitFeed({ app: { events }, principal, closed }: RouteCall): void {
  if (events.feeds.isFull(principal)) {
    throw new AppError(429, 'Too many feeds are open. Close one first.')
  }
  const end = closed()
  if (!end.aborted) {
    events.feeds.add(principal)
    end.addEventListener('abort', () => events.feeds.remove(principal))
  }
}

/** Server-sent events, until the client, the credential or the server ends. */
export async function* feedOf(call: RouteCall, start: number, place: Place): AsyncGenerator<string> {
  const { app, principal } = call
  const closed = call.closed()
  const isOver = () =>
    closed.aborted || app.events.isClosed || !principal.isLive() || isSecondFactorMissing(app, principal)
  const passes = rightsGate(app.database)
  let last = start
  yield 'retry: 3000\n\n'
  while (!isOver()) {
    const page = await readEvents(call, last, place, 100)
    const current = passes()
    if (current) {
      // The rights that chose these rows may have ended.
      await current
      continue
    }
    if (page.rows.length > 0) {
      const source = mailedOrigin(app)
      yield page.rows.map((row) => feedText(row, source)).join('')
    }
    const isFurther = page.last > last
    last = page.last
    if (!page.hasMore && (await waitForNext(call, closed, isOver)) === 'idle') {
      // An id without data moves `Last-Event-ID` past events that the reader may not see.
      yield isFurther ? `id: ${last}\n\n` : `:\n\n`
    }
  }
}

/** Waits for further events, or for the end; `idle` after a while with neither. */
function waitForNext({ app }: RouteCall, closed: AbortSignal, isOver: () => boolean): Promise<'idle' | 'next'> {
  return new Promise((resolve) => {
    const done = (outcome: 'idle' | 'next') => {
      cancels.forEach((cancel) => cancel())
      resolve(outcome)
    }
    const next = () => done('next')
    const cancels = [
      app.events.onNext(next),
      app.clock.after(idleMs, () => done('idle')),
      app.runningWork.add(() => isOver() && next()),
      () => closed.removeEventListener('abort', next),
    ]
    closed.addEventListener('abort', next)
    if (isOver()) {
      next()
    }
  })
}
