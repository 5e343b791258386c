import { isChangeEvent } from './conditions.ts'
import { defineTable, integer, integerKey, type RowOf, text, textOrNull } from '../database/table.ts'
import type { EventKind } from '../../shared/dtos/event.ts'

export const ProgramEvent = defineTable('program_events', {
  /** Ascending. Never used twice, because the newest row is always kept. */
  id: integerKey(),
  at: integer(),
  kind: text<EventKind>(),
  /** Null for events of the server. */
  tenantId: textOrNull(),
  deviceId: textOrNull(),
  /** Id of what the event is about. */
  subject: textOrNull(),
  /** Account that caused the event. */
  actorId: textOrNull(),
  /** JSON: customer and groups of a device that is deleted, on which rights to see this depend. */
  place: textOrNull(),
  /** JSON, as declared for the kind. */
  data: text(),
}).with({
  mirror: null,
  indexes: {
    program_events_of_presence: "(deviceId, id) WHERE kind IN ('device.online', 'device.offline')",
    program_events_of_changes: `(at) WHERE ${isChangeEvent}`,
  },
})
export type ProgramEventRow = RowOf<typeof ProgramEvent>
