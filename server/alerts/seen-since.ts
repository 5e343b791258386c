import type { App } from '../call/call.ts'
import type { AlertRuleRow } from './tables.ts'

/**
 * Returns the ids of devices that connected or disconnected after a rule began. Compares event ids: times are unreliable
 * after the clock was set back.
 */
export async function seenSince(
  { database }: App,
  { afterEventId }: AlertRuleRow,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const seen = await database.all<{ id: string }>(
    `SELECT d.value AS id FROM json_each(?) AS d WHERE EXISTS (
       SELECT 1 FROM program_events AS e WHERE e.deviceId = d.value AND e.id > ?
       AND e.kind IN ('device.online', 'device.offline')
     )`,
    [JSON.stringify(ids), afterEventId],
  )
  return new Set(seen.map(({ id }) => id))
}
