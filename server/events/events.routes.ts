import { applianceEvents } from '../../shared/api/appliance-events.ts'
import { implement } from '../surface/implement.ts'
import { badRequest } from '../ground/errors.ts'
import { mailedOrigin } from '../network/addresses.ts'
import { admitFeed, feedOf, readEvents, startOf } from './feed.ts'
import { presentEvent } from './present.ts'

function checkedId(id: string): string {
  if (!/^\d{1,15}$/.test(id)) {
    throw badRequest('Last-Event-ID must be the id of an event.')
  }
  return id
}

export const applianceEventRoutes = implement(applianceEvents, {
  async list(call, { query }) {
    const stream = call.eventStream()
    const place = { ...query, ...(stream?.lastEventId !== undefined && { after: checkedId(stream.lastEventId) }) }
    await call.app.events.caughtUp()
    const start = startOf(call, place)
    if (stream) {
      admitFeed(call)
      return { body: feedOf(call, start, place) }
    }
    const { rows, last, hasMore } = await readEvents(call, start, place, query.limit)
    const source = mailedOrigin(call.app)
    return { items: rows.map((row) => presentEvent(row, source)), last: String(last), hasMore }
  },
})
