import { instant } from '../ground/instant.ts'
import { eventData, type EventDto } from '../../shared/dtos/event.ts'
import type { ProgramEventRow } from './tables.ts'

/** An event with the members of CloudEvents. */
export const presentEvent = (event: ProgramEventRow, source: string): EventDto =>
  ({
    specversion: '1.0',
    id: String(event.id),
    source,
    type: event.kind,
    time: instant(event.at),
    datacontenttype: 'application/json',
    ...(event.subject !== null && { subject: event.subject }),
    ...(event.tenantId !== null && { tenantid: event.tenantId }),
    data: eventData.get(event.kind)!.parse(JSON.parse(event.data)),
  }) as EventDto

const texts = new WeakMap<ProgramEventRow, { source: string; text: string }>()

/** Text of an event in a feed, made once for all readers: they share the rows of the newest events. */
export function feedText(event: ProgramEventRow, source: string): string {
  const known = texts.get(event)
  if (known?.source === source) {
    return known.text
  }
  const text = `id: ${event.id}\ndata: ${JSON.stringify(presentEvent(event, source))}\n\n`
  texts.set(event, { source, text })
  return text
}
